"""May this proposed action run? The one gate, for the engine's own proposals and for a host's."""

from collections.abc import Iterator
from dataclasses import replace

from satisfice.core.amounts import SUMS, Amounts, Charge, Dimension
from satisfice.core.budget import ROOT, slice_of
from satisfice.core.duplicates import Same, same_meaning
from satisfice.core.ids import AccountName, BranchId
from satisfice.core.orders import (
    BranchProposal,
    Denied,
    LookUp,
    LookUpProposal,
    OpenBranch,
    Proposal,
    Refusal,
    RefusalKind,
    Search,
    SearchProposal,
)
from satisfice.core.queries import NO_FILTERS, Query
from satisfice.core.rewriting import may_rewrite
from satisfice.core.state import Branch, QueryStatus, RunState, one_step


def admit(
    state: RunState, proposal: Proposal, branch: Branch, *, similarity: float | None = None
) -> Search | LookUp | OpenBranch | Refusal:
    """The order a proposal becomes, shrunk to what is left, or why it may not run.

    `similarity` is the cosine to the nearest earlier query, computed by the shell. Nothing here spends: the hold is
    taken when the intent is recorded.
    """
    match proposal:
        case SearchProposal():
            return _search(state, proposal, branch, similarity)
        case LookUpProposal():
            return _look_up(state, proposal, branch)
        case BranchProposal():
            return _open(state, proposal, branch)


# --- searches ------------------------------------------------------------------------------------------------------


def _search(state: RunState, proposal: SearchProposal, branch: Branch, similarity: float | None) -> Search | Refusal:
    query = replace(proposal.query, top_k=max(1, min(proposal.query.top_k, state.started.task.top_k * 2)))
    scope = state.started.filters
    if query.filters == NO_FILTERS:
        query = replace(query, filters=scope)
    refusal = _refuse_query(state, query, proposal, similarity)
    if refusal:
        return refusal
    order = Search(
        query, proposal.lineage, branch.id, branch.account, search_ceiling(state, branch, query, proposal), proposal.id
    )
    denied = fits(state, order.ceiling, branch.account, state.sources[query.source].profile.min_ms)
    return _over_budget(denied) if denied else order


def _refuse_query(state: RunState, query: Query, proposal: SearchProposal, similarity: float | None) -> Refusal | None:
    source = state.sources.get(query.source)
    if source is None:
        known = ", ".join(sorted(state.sources)) or "none"
        return Refusal(RefusalKind.UNKNOWN_SOURCE, f"no source {query.source!r} in this run; known: {known}")
    if source.forbidden:
        return Refusal(RefusalKind.NOT_PERMITTED, f"source {query.source!r} refused this caller")
    gated = may_rewrite(
        state.question(),
        query,
        proposal.lineage,
        scope=state.started.filters,
        known=_known_texts(state),
    )
    repeated = gated or _repeats(state, query, similarity)
    if repeated:
        return repeated
    if source.readable == 0:
        return Refusal(RefusalKind.NOTHING_NEW, f"source {query.source!r} holds nothing this caller may read")
    return None


def _repeats(state: RunState, query: Query, similarity: float | None) -> Refusal | None:
    """A query repeats one that ran when it is identical, or means the same; retrying a failed one is an attempt."""
    identity = query.identity()
    for sent in state.sent.values():
        if sent.query.source != query.source:
            continue
        if sent.identity == identity:
            if sent.status is QueryStatus.FAILED:
                return Refusal(RefusalKind.FAILED_BEFORE, f"{query.text!r} failed before, unchanged", same_as=identity)
            return Refusal(RefusalKind.DUPLICATE, f"{query.text!r} already ran", same_as=identity)
        if sent.status is QueryStatus.FAILED or sent.query.filters != query.filters:
            continue
        if sent.query.weights or query.weights:
            continue  # weights say what the words do not: two such queries differ in what they look for
        same = same_meaning(sent.query.text, query.text, similarity=similarity)
        if isinstance(same, Same):
            detail = f"{query.text!r} asks the same as {sent.query.text!r}: {same.why}"
            return Refusal(RefusalKind.DUPLICATE, detail, same_as=sent.identity)
    return None


def _known_texts(state: RunState) -> Iterator[str]:
    """Text whose words a query may use though the question does not."""
    for claim in state.ledger.claims.values():
        yield claim.text
    for passage in state.ledger.passages.values():
        yield passage.provenance.title
        yield passage.text


def search_ceiling(state: RunState, branch: Branch, query: Query, proposal: SearchProposal) -> Charge:
    """The most a search may cost: `top_k` passages of the source's largest size, shrunk to what is left (at least one)."""
    profile = state.sources[query.source].profile
    left = state.accounts.left(branch.account)
    affordable = left[Dimension.RETRIEVED_TOKENS] // max(1, profile.passage_tokens)
    count = max(1, min(query.top_k, left[Dimension.DOCUMENTS], affordable))
    return Charge(
        Amounts(
            steps=1,
            queries=1,
            documents=count,
            retrieved_tokens=count * profile.passage_tokens,
            cost_microusd=profile.query_microusd,
        ),
        unique_queries=(query.identity(),),
        sources=(query.source,),
        rewrite_depth=proposal.lineage.depth,
    )


# --- look-ups and branches -----------------------------------------------------------------------------------------


def _look_up(state: RunState, proposal: LookUpProposal, branch: Branch) -> LookUp | Refusal:
    source = state.sources.get(proposal.source)
    if source is None:
        return Refusal(RefusalKind.UNKNOWN_SOURCE, f"no source {proposal.source!r} in this run")
    wanted = tuple(p for p in dict.fromkeys(proposal.passages) if p not in state.ledger.passages)
    if not wanted:
        return Refusal(RefusalKind.NOTHING_NEW, "every passage asked for is already held")
    left = state.accounts.left(branch.account)
    size = max(1, source.profile.passage_tokens)
    count = max(1, min(len(wanted), left[Dimension.DOCUMENTS], left[Dimension.RETRIEVED_TOKENS] // size))
    ceiling = Charge(Amounts(steps=1, documents=count, retrieved_tokens=count * size), sources=(proposal.source,))
    denied = fits(state, ceiling, branch.account, source.profile.min_ms)
    if denied:
        return _over_budget(denied)
    return LookUp(proposal.source, wanted[:count], branch.id, branch.account, ceiling, proposal.claim, proposal.id)


def _open(state: RunState, proposal: BranchProposal, branch: Branch) -> OpenBranch | Refusal:
    claims = tuple(c for c in proposal.claims if c in branch.claims)
    if not claims:
        return Refusal(RefusalKind.NOTHING_NEW, "none of the branch's claims is open here")
    waiting = sum(isinstance(p, BranchProposal) for p in branch.pending)
    share = min(1.0, proposal.share) if proposal.share > 0 else 1 / (waiting + 1)
    paid = one_step(state.accounts, branch.account, state.seq + 1)
    if isinstance(paid, Denied):
        return _over_budget(paid)
    left = paid.left(branch.account)
    amounts = Amounts(*(int(left[d] * share) for d in SUMS))
    order = OpenBranch(
        BranchId(f"{branch.id}.{len(state.branches)}"),
        branch.id,
        claims,
        AccountName(f"{branch.account}/{len(state.branches)}"),
        Charge(amounts, branches=1),
        proposal.goal,
        proposal.id,
    )
    opened = paid.slice(branch.account, order.account, slice_of(amounts), branch=True)
    return _over_budget(opened) if isinstance(opened, Denied) else order


# --- limits --------------------------------------------------------------------------------------------------------


def fits(state: RunState, ceiling: Charge, account: AccountName, min_ms: int) -> Denied | None:
    """Whether a ceiling fits every limit now, the clock included."""
    left_ms = state.soft_deadline_ms() - state.now_ms
    if min_ms > left_ms or left_ms <= 0:
        return Denied(Dimension.WALL_CLOCK_MS, max(1, min_ms), max(0, left_ms), account)
    held = state.accounts.hold(account, "trial", ceiling)
    return held if isinstance(held, Denied) else None


def fits_closing(state: RunState, ceiling: Charge, min_ms: int) -> bool:
    """Whether a closing thought fits: by now the reserve is released, and only the hard deadline counts."""
    left_ms = state.deadline_ms() - state.now_ms
    return 0 < left_ms >= min_ms and not isinstance(state.accounts.hold(ROOT, "trial", ceiling), Denied)


def _over_budget(denied: Denied) -> Refusal:
    detail = f"{denied.dimension} asked {denied.asked}, left {denied.left} in {denied.account!r}"
    return Refusal(RefusalKind.BUDGET, detail, denied)
