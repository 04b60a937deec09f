"""What to ask next for claims that are still open: read what is known of, follow a bridge, ask for what is missing."""

from satisfice.adapters.reasoners.aiming import aim_of
from satisfice.adapters.reasoners.bridging import Pool, enough, next_query, rank, to_read
from satisfice.adapters.reasoners.judging import SETTLED
from satisfice.adapters.reasoners.planning import best_source
from satisfice.adapters.reasoners.scoring import Scene, Scored, scored
from satisfice.core.claims import Claim
from satisfice.core.evidence import Judgement
from satisfice.core.ids import PassageId, ProposalId, SourceId
from satisfice.core.orders import LookUpProposal, Proposal, SearchProposal
from satisfice.core.passages import Trust
from satisfice.core.queries import Lineage, Query, ReasonCode, Transformation
from satisfice.core.text import is_stop
from satisfice.ports.reasoner import PastQuery, View

READ_AT_ONCE = 5
_CLOSED_BY_SUPPORT = frozenset({"", "NO_EVIDENCE", "INDIRECT"})
"""Gaps that a claim with enough support does not have any more; the others ask for better sources."""
_FEEDBACK_TERMS = 4
_FEEDBACK_UNITS = 3
_FEEDBACK_WEIGHT = 0.3


def proposals_for(view: View, judgements: tuple[Judgement, ...]) -> tuple[Proposal, ...]:
    """Actions for the open claims of a view, those of one claim together. Nothing is proposed that ran before."""
    known = {j.claim_id: j for j in (*view.judgements, *judgements)}
    scene = Scene.of(view.passages, view.statistics, view.cosines, view.word_cosines)
    found: list[Proposal] = []
    for claim in view.claims:
        judged = known.get(claim.id)
        if judged is not None and judged.support >= SETTLED and view.gaps.get(claim.id, "") in _CLOSED_BY_SUPPORT:
            continue
        found += _for_claim(view, claim, judged, scene)
    return tuple(found)


def _for_claim(view: View, claim: Claim, judged: Judgement | None, scene: Scene) -> list[Proposal]:
    source = best_source(view, claim)
    mine = [past for past in view.queries if past.lineage.claim in {None, claim.id} and not past.failed]
    if source is None or not mine:
        return []
    found: list[Proposal] = []
    pool = Pool.of(view, claim)
    ranking = rank(pool)
    unread = to_read(pool, ranking, READ_AT_ONCE)
    if unread:
        origin = _origin(mine, unread[0]) or source.id
        found.append(LookUpProposal(ProposalId(f"{claim.id}.read"), origin, unread, claim.id))
    hop = None if enough(pool, ranking) else next_query(pool, ranking)
    if hop is not None:
        origin = (_origin(mine, hop.lineage.expands) if hop.lineage.expands else None) or source.id
        query = Query(hop.text, origin, view.top_k, weights=hop.weights, about=hop.about)
        lineage = _for(hop.lineage, claim)
        found.append(SearchProposal(ProposalId(f"{claim.id}.hop"), query, lineage))
    found += _narrower(view, claim, judged, mine, source.id)
    found += _broader(view, claim, mine, source.id, scored(aim_of(claim.text, claim.expects), scene))
    ran = {past.query.identity() for past in view.queries}
    return [p for p in found if not isinstance(p, SearchProposal) or p.query.identity() not in ran]


def _for(lineage: Lineage, claim: Claim) -> Lineage:
    return Lineage(lineage.parent, claim.id, lineage.transformation, lineage.reason, lineage.depth, lineage.expands)


def _origin(queries: list[PastQuery], passage: PassageId) -> SourceId | None:
    """The source whose search named this passage."""
    for past in queries:
        for handle in past.handles:
            if handle.id == passage or any(link.target == passage for link in handle.links):
                return past.query.source
    return None


def _narrower(
    view: View, claim: Claim, judged: Judgement | None, mine: list[PastQuery], source: SourceId
) -> list[Proposal]:
    """The terms that nothing held covers, on their own."""
    if judged is None or not judged.missing or not view.passages:
        return []
    text = " ".join(judged.missing)
    lineage = _child(mine, claim, Transformation.NARROW, ReasonCode.NARROW_ENTITY)
    return [SearchProposal(ProposalId(f"{claim.id}.narrow"), Query(text, source, view.top_k), lineage)]


def _broader(
    view: View, claim: Claim, mine: list[PastQuery], source: SourceId, ranked: tuple[Scored, ...]
) -> list[Proposal]:
    """The claim's terms with a few words that stand beside them in the best units."""
    aim = aim_of(claim.text, claim.expects)
    counts: dict[str, int] = {}
    for one in [one for one in ranked if one.passage.trust is Trust.NORMAL][:_FEEDBACK_UNITS]:
        for stem in sorted(one.unit.stems):
            if stem not in aim.held and not is_stop(stem) and len(stem) > 2:
                counts[stem] = counts.get(stem, 0) + 1
    best = sorted(counts, key=lambda stem: (-counts[stem], stem))[:_FEEDBACK_TERMS]
    if not best:
        return []
    weights = {**dict.fromkeys(best, _FEEDBACK_WEIGHT), **dict.fromkeys(aim.stems, 1.0)}
    query = Query(claim.text, source, view.top_k, weights=tuple(sorted(weights.items())))
    lineage = _child(mine, claim, Transformation.PARAPHRASE, ReasonCode.BROADEN_TERMS)
    return [SearchProposal(ProposalId(f"{claim.id}.broad"), query, lineage)]


def _child(mine: list[PastQuery], claim: Claim, how: Transformation, why: ReasonCode) -> Lineage:
    parent = min(mine, key=lambda past: past.lineage.depth)
    return Lineage(parent.query.identity(), claim.id, how, why, parent.lineage.depth + 1)
