"""Mirrors: tagged structs for the dataclasses that msgspec cannot tell apart by itself.

msgspec reads and writes frozen dataclasses directly, but a union of dataclasses carries no tag. Every dataclass that is
a member of such a union, or holds one somewhere inside, gets a struct with the same fields, made once from the class
itself, so that the two cannot drift apart. Everything else passes through untouched.
"""

import types
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import msgspec

TAG_FIELD = "kind"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Mirror:
    """The type to decode as, and the way there and back."""

    wire: Any
    there: Callable[[Any], Any]
    back: Callable[[Any], Any]


def mirror(hint: object) -> Mirror | None:
    """How values of this type are mirrored; None when msgspec can read and write them as they are."""
    origin = get_origin(hint)
    if origin is tuple and get_args(hint)[1:] == (...,):
        return _tuple(get_args(hint)[0])
    if origin in (types.UnionType, Union):
        return _union(get_args(hint))
    if is_dataclass(hint):
        return _dataclass(cast("type[object]", hint), tag=None)
    return None


def _tuple(item: object) -> Mirror | None:
    inner = mirror(item)
    if inner is None:
        return None
    there, back = inner.there, inner.back
    return Mirror(
        tuple[inner.wire, ...],
        lambda values: tuple(there(value) for value in values),
        lambda values: tuple(back(value) for value in values),
    )


def _union(members: tuple[object, ...]) -> Mirror | None:
    several = sum(is_dataclass(member) for member in members) > 1
    mirrors = {
        member: _dataclass(cast("type[object]", member), tag=cast("type[object]", member).__name__)
        if several and is_dataclass(member)
        else mirror(member)
        for member in members
    }
    made = {member: found for member, found in mirrors.items() if found is not None}
    if not made:
        return None
    there = {member: found.there for member, found in made.items()}
    back = {found.wire: found.back for found in made.values()}
    return Mirror(
        Union[tuple(made[member].wire if member in made else member for member in members)],  # noqa: UP007 (the members are only known at run time)
        lambda value: there[type(value)](value) if type(value) in there else value,
        lambda value: back[type(value)](value) if type(value) in back else value,
    )


def _dataclass(cls: type[object], tag: str | None) -> Mirror | None:
    hints = get_type_hints(cls)
    parts = [(part, hints[part.name], mirror(hints[part.name])) for part in fields(cast("Any", cls))]
    if tag is None and not any(inner for _, _, inner in parts):
        return None
    struct = msgspec.defstruct(
        cls.__name__,
        [_struct_field(part, hint, inner) for part, hint, inner in parts],
        tag=tag,
        tag_field=TAG_FIELD if tag else None,
        frozen=True,
    )
    ways = [(part.name, inner.there if inner else _same, inner.back if inner else _same) for part, _, inner in parts]
    return Mirror(
        struct,
        lambda value: struct(*[there(getattr(value, name)) for name, there, _ in ways]),
        lambda value: cls(*[back(getattr(value, name)) for name, _, back in ways]),
    )


def _struct_field(part: "Field[Any]", hint: object, inner: Mirror | None) -> tuple[str, Any] | tuple[str, Any, Any]:
    wire = inner.wire if inner else hint
    there = inner.there if inner else _same
    if part.default is not MISSING:
        return part.name, wire, there(part.default)
    if part.default_factory is not MISSING:
        make = part.default_factory
        return part.name, wire, msgspec.field(default_factory=lambda: there(make()))
    return part.name, wire


def _same(value: T) -> T:
    return value
