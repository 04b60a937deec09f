"""The names facts carry on the wire, and how facts of older schemas become facts of this one.

Plain data is what JSON can say. A codec outside core turns it into text and back; what is true of every codec, the
kinds, the schema and the lifting, is settled here.
"""

from collections.abc import Callable, Mapping
from typing import get_args

from satisfice.core.facts import SCHEMA_VERSION, Fact
from satisfice.errors import UnknownFact

KINDS: Mapping[str, type[Fact]] = {fact.__name__: fact for fact in get_args(Fact)}
"""Every kind of fact under its wire name, which is `facts.kind` of it."""

Plain = dict[str, object]
"""A fact's fields as plain data: dict, list, str, int, float, bool and None."""

Lift = Callable[[str, Plain], tuple[str, Plain]]
"""Kind and fields of one schema in, those of the next out. A lift may rename the kind; it changes nothing it was given."""

LIFTS: Mapping[tuple[str, int], Lift] = {}
"""By kind and the schema it leads away from. A kind without an entry means the same in the next schema."""


def lift(
    kind: str, schema: int, data: Plain, lifts: Mapping[tuple[str, int], Lift] = LIFTS, newest: int = SCHEMA_VERSION
) -> tuple[type[Fact], Plain]:
    """The class a stored fact has today and its fields in the newest schema, one schema at a time.

    Raises
    ------
    UnknownFact
        The schema is newer than this version, or no schema ever had such a kind.
    """
    if not 1 <= schema <= newest:
        raise UnknownFact(kind, schema, newest)
    name = kind
    for version in range(schema, newest):
        step = lifts.get((name, version))
        if step is not None:
            name, data = step(name, data)
    if name not in KINDS:
        raise UnknownFact(kind, schema, newest)
    return KINDS[name], data
