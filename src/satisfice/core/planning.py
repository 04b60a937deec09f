"""From thoughts to claims and first looks: what was planned is checked, and never less than the question itself."""

from collections.abc import Sequence
from dataclasses import replace

from satisfice.core.changing import changed
from satisfice.core.claims import Claim
from satisfice.core.ids import MAIN, ClaimId, ProposalId
from satisfice.core.orders import BranchProposal, Proposal, SearchProposal
from satisfice.core.queries import Lineage, Query, ReasonCode
from satisfice.core.state import Branch, RunState
from satisfice.core.sufficiency import verdict
from satisfice.core.text import canonical


def claims_for(state: RunState, planned: Sequence[Claim]) -> tuple[Claim, ...]:
    """The claims a run works on: the task class's template, else what was planned, else the question itself.

    A planned claim must quote the question word for word (spelling habits aside); others are dropped. At most
    `max_claims` are kept.
    """
    if state.started.task.claims and not state.reading:
        return state.started.task.claims
    question = canonical(state.question())
    kept: dict[ClaimId, Claim] = {}
    for claim in planned:
        if canonical(claim.quote) and canonical(claim.quote) in question:
            kept.setdefault(claim.id, claim)
    chosen = tuple(kept.values())[: state.started.policy.max_claims]
    return chosen or (Claim(ClaimId("c1"), state.question(), state.question()),)


def with_claims(state: RunState, claims: Sequence[Claim]) -> RunState:
    """The state with these claims in its ledger, worked on by the main line."""
    if not claims:
        return state
    ledger = state.ledger.with_claims(claims)
    main = changed(state.main, claims=tuple(ledger.claims))
    return reviewed(changed(state, ledger=ledger).with_branch(main))


def reviewed(state: RunState) -> RunState:
    """The state with its verdict kept up with its ledger."""
    first, sources = state.started, state.sources.values()
    refused = tuple(s.profile.id for s in sources) if all(s.forbidden for s in sources) else ()
    found = verdict(state.ledger, first.policy, first.as_of, first.principal.attributes, refused)
    return changed(state, verdict=found)


def proposed(state: RunState, branch: Branch, number: int, proposals: Sequence[Proposal]) -> Branch:
    """The branch with a thought's proposals, named by the order that brought them, at most `max_proposals` of them."""
    limit = state.started.policy.max_proposals
    named = tuple(
        replace(proposal, id=ProposalId(f"{number}.{i}")) for i, proposal in enumerate(proposals[:limit], start=1)
    )
    return changed(branch, pending=(*branch.pending, *named))


def left_out(state: RunState, proposals: Sequence[Proposal]) -> tuple[str, ...]:
    """What to note about proposals beyond those that are kept of one thought."""
    limit, n = state.started.policy.max_proposals, len(proposals)
    return (
        (f"{n - limit} of {n} proposals were left out: at most {limit} of one thought are kept",) if n > limit else ()
    )


def with_first_looks(state: RunState, branch: Branch) -> Branch:
    """The branch with a first look for each of its claims that nobody proposed a search or a branch for, and the other sources after it.

    Sources are asked in order of authority, then name, as many in one round as may be in flight: nobody names a source to
    have it left out, and what only one of them says must not look undisputed.
    """
    sources = sorted(state.sources.values(), key=lambda s: (-s.profile.authority, s.profile.id))
    pending = list(branch.pending)
    branched = {claim for p in pending if isinstance(p, BranchProposal) for claim in p.claims}
    for claim_id in branch.claims:
        claim = state.ledger.claims[claim_id]
        mine = [p for p in pending if isinstance(p, SearchProposal) and p.lineage.claim == claim_id]
        if not mine and claim_id not in branched and sources:
            query = Query(claim.text, sources[0].profile.id, state.started.task.top_k)
            look = SearchProposal(_name(branch, claim_id, 0), query, Lineage(claim=claim_id))
            pending.append(look)
            mine = [look]
        asked = {p.query.source for p in mine}
        first = next((p for p in mine if p.lineage.depth == 0), None)
        for i, source in enumerate(sources, start=1):
            if first is None or source.profile.id in asked:
                continue
            query = replace(first.query, source=source.profile.id)
            lineage = replace(first.lineage, reason=ReasonCode.OTHER_SOURCE, parent=first.query.identity())
            pending.append(SearchProposal(_name(branch, claim_id, i), query, lineage))
    return changed(branch, pending=tuple(pending))


def _name(branch: Branch, claim: ClaimId, i: int) -> ProposalId:
    return ProposalId(f"{branch.id if branch.id != MAIN else 'first'}.{claim}.{i}")
