"""Which gap, which action: value per cost among what was proposed, from a shipped prior (papers: Weitzman 1979)."""

from dataclasses import dataclass

from satisfice.core.ids import ClaimId
from satisfice.core.orders import BranchProposal, LookUpProposal, Proposal, SearchProposal
from satisfice.core.state import Branch, RunState


@dataclass(frozen=True, slots=True)
class Option:
    """A proposed action that is worth its price, with the numbers that ranked it."""

    proposal: Proposal
    claim: ClaimId | None
    chance: float
    price: float
    value: float


def kind_of(proposal: Proposal) -> str:
    """The name under which an action's chance is known."""
    match proposal:
        case SearchProposal():
            return str(proposal.lineage.reason)
        case LookUpProposal():
            return "read_linked"
        case BranchProposal():
            return "decompose"


def target_of(proposal: Proposal) -> ClaimId | None:
    """The claim an action works for, when it names one."""
    match proposal:
        case SearchProposal():
            return proposal.lineage.claim
        case LookUpProposal():
            return proposal.claim
        case BranchProposal():
            return proposal.claims[0] if proposal.claims else None


def tried_key(proposal: Proposal) -> str:
    """Under which key a branch counts actions of this kind for this claim."""
    return f"{target_of(proposal) or ''}:{kind_of(proposal)}"


def options(state: RunState, branch: Branch) -> tuple[Option, ...]:
    """What the branch could do next, best first: largest weight x (1 - support) x chance / price.

    Actions for claims that are settled, and actions under `p_min`, are left out. Ties go by claim, then proposal.
    """
    policy = state.started.policy
    if branch.progress.fired(policy):
        return ()
    weights = open_weights(state, branch)
    if not weights:
        return ()
    heaviest = max(weights.values())
    prior = dict(policy.prior)
    found: list[Option] = []
    for proposal in branch.pending:
        claim = target_of(proposal)
        weight = weights.get(claim, 0.0) if claim is not None else heaviest
        chance = prior.get(kind_of(proposal), policy.p_min)
        chance *= policy.repeat_discount ** branch.tried.get(tried_key(proposal), 0)
        if weight <= 0.0 or chance < policy.p_min:
            continue
        price = _price(state, proposal)
        found.append(Option(proposal, claim, chance, price, weight * chance / price))
    found.sort(key=lambda option: (-option.value, option.claim or "", option.proposal.id))
    return tuple(found)


def open_weights(state: RunState, branch: Branch) -> dict[ClaimId, float]:
    """Weight left in each claim of the branch that the contract still misses: its weight times (1 - support)."""
    mine = set(branch.claims)
    weights: dict[ClaimId, float] = {}
    for gap in state.verdict.gaps:
        if gap.claim_id in mine and gap.claim_id not in weights:
            claim = state.ledger.claims[gap.claim_id]
            judged = state.ledger.judgements.get(gap.claim_id)
            # A gap in authority or freshness stays open however well the claim is supported.
            support = min(judged.support, 0.9) if judged else 0.0
            weights[gap.claim_id] = claim.weight * (1.0 - support)
    return weights


def _price(state: RunState, proposal: Proposal) -> float:
    policy = state.started.policy
    match proposal:
        case SearchProposal():
            source = state.sources.get(proposal.query.source)
            return policy.search_price + (source.profile.query_microusd / 10_000 if source else 0.0)
        case LookUpProposal():
            return policy.look_up_price
        case BranchProposal():
            return policy.branch_price
