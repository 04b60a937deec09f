"""Thinking without a model: rules to plan by, scores to judge by, exact quotes to answer with. Same view, same thought."""

from collections.abc import Sequence

from satisfice.adapters.reasoners.aiming import aim_of
from satisfice.adapters.reasoners.classifying import classify
from satisfice.adapters.reasoners.connecting import title_stems
from satisfice.adapters.reasoners.courtesy import courtesy, reply
from satisfice.adapters.reasoners.judging import judge
from satisfice.adapters.reasoners.planning import claims_of, first_looks
from satisfice.adapters.reasoners.proposing import proposals_for
from satisfice.adapters.reasoners.writing import check, write
from satisfice.core.evidence import Evidence, Judgement
from satisfice.core.facts import Classification, RetrievalAction, Thought
from satisfice.core.orders import Answer, Sentence, Step
from satisfice.core.sources import Shape
from satisfice.ports.model import Completion
from satisfice.ports.reasoner import Unusable, View

NEEDS_MODEL = "Reworking your own text needs a language model, and none is set up here; I can only quote documents."


class ExtractiveReasoner:
    """Takes every step at once, without a prompt. It never fails: where nothing can be said, the thought is empty."""

    id = "extractive/1"

    def terms(self, view: View) -> Sequence[str]:
        """The stems of the question, of every claim, and of the titles held."""
        texts = (view.question, *(claim.text for claim in view.claims))
        asked = (stem for text in texts for stem in aim_of(text).stems)
        return tuple(dict.fromkeys((*asked, *title_stems(view.passages))))

    def ask(self, steps: Sequence[Step], view: View) -> Thought:
        """The thought itself; see the port."""
        wanted = frozenset(steps)
        asked = not wanted.isdisjoint({Step.CLASSIFY, Step.PLAN, Step.DRAFT})
        found = classify(view.question, view.history) if asked else None
        claims = (view.claims or claims_of(view.question, view.history)) if Step.PLAN in wanted else ()
        evidence, judgements = _judged(view) if Step.JUDGE in wanted else ((), ())
        proposals = first_looks(view, claims) if Step.PLAN in wanted else ()
        if Step.PROPOSE in wanted:
            proposals = (*proposals, *proposals_for(view, judgements))
        answer = _draft(view, found) if Step.DRAFT in wanted and found is not None else None
        if not wanted.isdisjoint({Step.WRITE, Step.CHECK}):
            answer = _written(view, evidence, judgements)
        return Thought(
            classification=found if Step.CLASSIFY in wanted else None,
            claims=claims,
            evidence=evidence,
            judgements=judgements,
            judged=tuple(passage.id for passage in view.passages) if Step.JUDGE in wanted else (),
            proposals=proposals,
            answer=answer,
        )

    def read(self, steps: Sequence[Step], view: View, completion: Completion) -> Unusable:
        """Nothing was asked of a model, so nothing can be read."""
        size, taken = len(completion.text), ", ".join(steps)
        return Unusable(f"{self.id} asked no model to {taken} for {view.question[:80]!r}; got {size} characters")


def _judged(view: View) -> tuple[tuple[Evidence, ...], tuple[Judgement, ...]]:
    found = judge(view)
    return tuple(item for one in found for item in one.evidence), tuple(one.judgement for one in found)


def _draft(view: View, found: Classification) -> Answer | None:
    if found.action is not RetrievalAction.NO_RETRIEVE:
        return None
    if found.shape is Shape.OWN_TEXT:
        return Answer((Sentence(NEEDS_MODEL),))
    return Answer((Sentence(reply(courtesy(view.question) or "small talk")),))


def _written(view: View, evidence: tuple[Evidence, ...], judgements: tuple[Judgement, ...]) -> Answer:
    """From what was judged before and in this thought; the later judgement of a span holds."""
    latest = {(item.claim_id, item.span): item for item in (*view.evidence, *evidence)}
    known = {judged.claim_id: judged for judged in (*view.judgements, *judgements)}
    held = tuple(latest.values())
    return check(write(view, held, tuple(known.values())), view, held)
