"""What the held passages say about each claim: exact spans, a stance for each, and how far the claim is settled."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import exp

from satisfice.adapters.reasoners.aiming import Aim, aim_of
from satisfice.adapters.reasoners.connecting import connected, connections, goes_through
from satisfice.adapters.reasoners.hopping import Hop, hop
from satisfice.adapters.reasoners.polarity import answers
from satisfice.adapters.reasoners.reading import read
from satisfice.adapters.reasoners.rivalling import rivals
from satisfice.adapters.reasoners.scoring import Scene, Scored, scored
from satisfice.adapters.reasoners.settling import fit, fitting_first
from satisfice.adapters.reasoners.splitting import comparison_sides
from satisfice.adapters.reasoners.supporting import support
from satisfice.core.claims import AnswerType, Claim, ClaimKind
from satisfice.core.evidence import Evidence, Judgement, Stance
from satisfice.core.ids import ClaimId
from satisfice.core.linking import name_key
from satisfice.core.passages import Span, Trust, quote_hash
from satisfice.core.text import terms
from satisfice.core.values import Value
from satisfice.ports.reasoner import View

MAX_EVIDENCE = 6
"""Spans kept for one claim from one judging."""
MAX_PER_PASSAGE = 3
MAX_MISSING = 8

_CLOSE = 2.0
"""A unit this far below the best one may still support the claim."""
_SPREAD = 6.0
"""Score points over which a span's standing falls to a third."""
_COVERS = 0.5
"""Share of an untyped claim that a supporting unit must have, near words in part, with the sentence before and the headings.
Half of it where the claim goes through something else: the rest is in another passage."""
TOGETHER = 0.001
"""Spans whose scores are this close answer together."""
SETTLED = 0.5
"""From this support on a claim counts as settled, and values are told."""
_LIKELY = 0.4
"""From this likelihood that a claim goes through something else, two sentences are looked at together."""
_BESIDES = 2
"""A sentence that has a claim's every word and no more than these besides says yes or no as plainly as any other."""
_UNSETTLED = 0.45
"""The most support of a claim whose own identifier, or explicit yes or no, no passage has."""


@dataclass(frozen=True, slots=True)
class Found:
    """What one claim's judging concluded."""

    evidence: tuple[Evidence, ...]
    judgement: Judgement


def judge(view: View) -> tuple[Found, ...]:
    """Judge every claim of the view against every held passage.

    All passages are judged again each time, because what is rare and what stands out depends on all of them; a span that
    supported a claim before and no longer does is said to mention it.
    """
    scene = Scene.of(view.passages, view.statistics, view.cosines, view.word_cosines)
    whole = view.question if comparison_sides(view.question) else ""
    return tuple(_judged(claim, whole, scene, view.evidence) for claim in view.claims)


def _judged(claim: Claim, compared: str, scene: Scene, earlier: Sequence[Evidence]) -> Found:
    """`compared` is the question of which this claim is one side; empty when it is none."""
    aim = aim_of(claim.text, claim.expects)
    ranked = scored(aim, scene)
    trusted = [one for one in ranked if one.passage.trust is Trust.NORMAL]
    trusted, fits = fitting_first(claim, aim, compared, trusted)
    case = _case(claim, aim, compared, scene, trusted) if trusted else None
    evidence: list[Evidence] = []
    level = 0.0
    if case is not None:
        level = case.support
        evidence = (
            case.over_hop(case.hop, _kept(trusted))
            if case.hop
            else [_told(case.evidence(one), fit(claim, aim, compared, one)) for one in _kept(trusted)]
        )
        if fits and not case.hop and level >= SETTLED and claim.kind is ClaimKind.OPEN:
            evidence = _with_rivals(claim, aim, trusted, evidence)
    evidence += [_mention(claim, one, level) for one in _kept(r for r in ranked if r.passage.trust is not Trust.NORMAL)]
    answered = fits or (case is not None and case.hop is not None)
    if not answered or not _identified(aim, trusted) or not _settled(claim, evidence):
        level = min(level, _UNSETTLED)
    kept = {item.span for item in evidence}
    outdone = [
        replace(item, stance=Stance.MENTIONS)
        for item in earlier
        if item.claim_id == claim.id and item.span not in kept and item.stance is not Stance.MENTIONS
    ]
    judgement = Judgement(claim.id, round(level, 4), _missing(aim, scene))
    return Found((*evidence, *outdone), judgement)


def _case(claim: Claim, aim: Aim, compared: str, scene: Scene, trusted: Sequence[Scored]) -> "_Case":
    """How far the claim is settled, and how it is read; the passages of a comparison must hold both sides."""
    whole = compared or claim.text
    through = goes_through(whole, trusted[0].signs.passage)
    level = support(aim, scene, trusted)
    hops = claim.kind is ClaimKind.OPEN and not compared and through >= _LIKELY
    over = hop(aim, scene, trusted) if hops else None
    if level and through:
        found = connections(whole, scene)._replace(paired=over.covered if over else 0.0)
        level = (1 - through) * level + through * connected(found)
    return _Case(claim, aim, trusted[0], level, through, over)


def _told(item: Evidence, fitness: int) -> Evidence:
    """A value is set against others only where its unit is of the kind that settles the claim."""
    return item if fitness else replace(item, value="", unit="")


def _with_rivals(claim: Claim, aim: Aim, trusted: Sequence[Scored], others: Sequence[Evidence]) -> list[Evidence]:
    """Sentences that differ from the best one in the value alone, as strong as it, before all others."""
    score = others[0].score
    said = [
        replace(_spanned(claim.id, one, Stance.SUPPORTS, score), value=value.value, unit=value.unit)
        for one, value in rivals(aim, trusted)[:MAX_EVIDENCE]
    ]
    taken = [item.span for item in said]
    rest = [item for item in others if not any(_overlap(item.span, span) for span in taken)]
    return [*said, *rest][:MAX_EVIDENCE]


def _overlap(one: Span, other: Span) -> bool:
    return one.passage_id == other.passage_id and one.start < other.end and other.start < one.end


def _kept(ranked: Iterable[Scored]) -> list[Scored]:
    """The best few, no two of which overlap, not too many from one passage."""
    kept: list[Scored] = []
    for one in ranked:
        same = [other for other in kept if other.passage.id == one.passage.id]
        overlapping = any(one.unit.start < other.unit.end and other.unit.start < one.unit.end for other in same)
        if not overlapping and len(same) < MAX_PER_PASSAGE:
            kept.append(one)
        if len(kept) == MAX_EVIDENCE:
            break
    return kept


# --- one span ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Case:
    """A claim before the best unit of what is held. `through`: how likely it goes through something else, 0 to 1."""

    claim: Claim
    aim: Aim
    best: Scored
    support: float
    through: float
    hop: Hop | None

    def evidence(self, one: Scored) -> Evidence:
        """What one unit says: a stance, and the value where it speaks of the same as the best one."""
        item = _spanned(self.claim.id, one, Stance.MENTIONS, self._standing(one))
        close = one.score >= self.best.score - _CLOSE
        if self.claim.kind is not ClaimKind.OPEN:
            in_full = one.unit.stems.issuperset(self.aim.stems) and len(one.unit.stems - self.aim.held) <= _BESIDES
            return _polar(self.claim, self.aim, one, replace(item, score=round(self.support, 4)) if in_full else item)
        if self.aim.expects is AnswerType.ANY:
            return replace(item, stance=Stance.SUPPORTS) if close and self._covers(one) else item
        value = _nearest(self.aim, one)
        if value is None:
            return item
        shown, unit = _canonical(self.aim, one, value) if self._tells(one) else ("", "")
        return replace(item, stance=Stance.SUPPORTS if close else Stance.MENTIONS, value=shown, unit=unit)

    def over_hop(self, over: Hop, kept: Sequence[Scored]) -> list[Evidence]:
        """The two units of a hop before all others: both support the claim, and the second one holds its value.

        Their scores are so close that a writer shows them together.
        """
        first = _spanned(self.claim.id, over.first, Stance.SUPPORTS, round(self.support, 4))
        second = _spanned(self.claim.id, over.second, Stance.SUPPORTS, max(0.0, first.score - TOGETHER / 2))
        value = _nearest(self.aim, over.second)
        if value is not None and self.support >= SETTLED:
            shown, unit = _canonical(self.aim, over.second, value)
            second = replace(second, value=shown, unit=unit)
        pair = {first.span, second.span}
        rest = [_spanned(self.claim.id, one, Stance.MENTIONS, self._standing(one)) for one in kept]
        return [first, second, *(item for item in rest if item.span not in pair)]

    def _standing(self, one: Scored) -> float:
        return round(self.support * exp(min(0.0, one.score - self.best.score) / _SPREAD), 4)

    def _covers(self, one: Scored) -> bool:
        share = max(one.signs.cover, one.signs.soft) + one.signs.before + one.signs.above
        return share >= _COVERS * (1 - self.through / 2)

    def _tells(self, one: Scored) -> bool:
        """Whether its value may be set against others: a number found by the way would look like a contradiction."""
        if self.support < SETTLED or self.through >= SETTLED:
            return False
        return self._speaks_of(one) >= self._speaks_of(self.best)

    def _speaks_of(self, one: Scored) -> frozenset[str]:
        return (one.unit.stems | one.unit.before | one.unit.above).intersection(self.aim.stems)


def _polar(claim: Claim, aim: Aim, one: Scored, item: Evidence) -> Evidence:
    """A yes-or-no question is settled by an explicit yes or no, an assertion supported or contradicted by one."""
    text = one.passage.text[one.unit.start : one.unit.end]
    said = answers(aim, text, one.unit.above | one.unit.before)
    if said is None:
        return item
    stance = Stance.SUPPORTS if said or claim.kind is ClaimKind.YES_NO else Stance.CONTRADICTS
    return replace(item, stance=stance, value="yes" if said else "no")


def _mention(claim: Claim, one: Scored, level: float) -> Evidence:
    return _spanned(claim.id, one, Stance.MENTIONS, round(level / 2, 4))


def _spanned(claim: ClaimId, one: Scored, stance: Stance, score: float) -> Evidence:
    span = Span(one.passage.id, one.unit.start, one.unit.end)
    return Evidence(claim, span, quote_hash(one.passage.text[span.start : span.end]), stance, score)


def _nearest(aim: Aim, one: Scored) -> Value | None:
    """The value with most of the claim's terms around it; the first of equals."""
    best: tuple[float, Value] | None = None
    for value in one.values:
        middle = (value.start + value.end) / 2
        pull = sum(
            1.0 / (10.0 + abs((term.start + term.end) / 2 - middle))
            for term in one.unit.terms
            if term.stem in aim.stems and not value.start <= term.start < value.end
        )
        pull += 0.1 * _counts(aim, value)
        if best is None or pull > best[0]:
            best = (pull, value)
    return best[1] if best else None


def _counts(aim: Aim, value: Value) -> bool:
    counted = set(value.unit.split(" "))
    return not counted.isdisjoint(aim.units) or not counted.isdisjoint(aim.focus)


def _canonical(aim: Aim, one: Scored, value: Value | None) -> tuple[str, str]:
    """A name is told only when it is the one candidate: a wrong name would look like a contradiction."""
    if value is None or aim.expects is AnswerType.REASON:
        return "", ""
    if aim.expects in {AnswerType.NAME, AnswerType.PLACE}:
        return (name_key(value.value), "") if len(one.values) == 1 else ("", "")
    return value.value, value.unit


# --- the claim -----------------------------------------------------------------------------------------------------


def _identified(aim: Aim, ranked: Sequence[Scored]) -> bool:
    """Whether the best passage has every identifier of the claim, letter by letter."""
    return not ranked or read(ranked[0].passage).stems.issuperset(aim.identifiers)


def _settled(claim: Claim, evidence: Sequence[Evidence]) -> bool:
    return claim.kind is ClaimKind.OPEN or any(item.stance is not Stance.MENTIONS for item in evidence)


def _missing(aim: Aim, scene: Scene) -> tuple[str, ...]:
    """The claim's words that no held passage has, rarest first."""
    held = frozenset[str]().union(*(read(passage).stems for passage in scene.passages))
    shown = {term.stem: term.text for term in reversed(terms(aim.text))}
    rarity = scene.rarity(aim.stems)
    absent = sorted((stem for stem in aim.stems if stem not in held), key=lambda stem: -rarity[stem])
    return tuple(shown.get(stem, stem) for stem in absent[:MAX_MISSING])
