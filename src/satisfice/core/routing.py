"""Which action and how much work a question gets: mandatory rules first, then what was classified, never more than granted."""

from dataclasses import replace

from satisfice.core.facts import Classification, RetrievalAction
from satisfice.core.sources import Shape
from satisfice.core.tasks import Complexity, TaskClass
from satisfice.core.text import content_stems

_STRICTNESS = tuple(Complexity)


def granted(question: str, task: TaskClass, proposed: Classification | None) -> Classification:
    """The classification a run works with.

    A word of `task.always_retrieve` in the question makes retrieval mandatory, whatever was proposed. Complexity may
    be narrower than the task class, never wider; a supervised class stays supervised. Without a proposal the question
    is treated as a fact to look up with all that the class allows.
    """
    found = proposed or Classification(
        Shape.FACT, task.complexity, RetrievalAction.RETRIEVE, "default", "nothing classified it"
    )
    complexity = min(found.complexity, task.complexity, key=_STRICTNESS.index)
    if task.complexity is Complexity.SUPERVISED:
        complexity = task.complexity
    found = replace(found, complexity=complexity)
    word = _mandatory(question, task)
    if word and found.action is RetrievalAction.NO_RETRIEVE:
        shape = Shape.FACT if found.shape is Shape.CHAT else found.shape
        return replace(
            found, shape=shape, action=RetrievalAction.RETRIEVE, layer="rule", reason=f"{word!r} always retrieves"
        )
    return found


def _mandatory(question: str, task: TaskClass) -> str:
    """The first declared word that the question contains, in the task's order."""
    stems = set(content_stems(question))
    for word in task.always_retrieve:
        wanted = content_stems(word)
        if wanted and stems.issuperset(wanted):
            return word
    return ""
