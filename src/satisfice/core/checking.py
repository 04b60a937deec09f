"""Is a thought what its types say? Asked of every reasoner but our own, before anything relies on it."""

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from math import isfinite
from types import UnionType
from typing import Any, NewType, Union, get_args, get_origin, get_type_hints

from satisfice.core.facts import Thought
from satisfice.core.queries import Lineage, Query

MAX_CHARS = 100_000
"""No text of a thought is longer: everything from outside is bounded."""


def fault_of(thought: object) -> str:
    """What is wrong with a thought, by the name of the field; empty when nothing is."""
    return _fault(thought, Thought, "thought")


def _fault(value: object, wanted: Any, where: str) -> str:
    if isinstance(wanted, NewType):
        return _fault(value, wanted.__supertype__, where)
    origin = get_origin(wanted)
    if origin in (UnionType, Union):
        return _of_union(value, get_args(wanted), where)
    if origin in (tuple, frozenset):
        return _of_items(value, origin, get_args(wanted), where)
    allowed = (int, float) if wanted is float else wanted
    if not isinstance(value, allowed) or (wanted is not bool and isinstance(value, bool)):
        return f"{where} is {type(value).__name__}, not {wanted.__name__}"
    if isinstance(value, float) and not isfinite(value):
        return f"{where} is {value}"
    if isinstance(value, str) and not isinstance(value, Enum) and len(value) > MAX_CHARS:
        return f"{where} has {len(value):,} characters, more than {MAX_CHARS:,}"
    return _of_fields(value, where) if is_dataclass(value) else ""


def _of_union(value: object, members: Iterable[Any], where: str) -> str:
    found = [_fault(value, member, where) for member in members]
    if not all(found):
        return ""
    near = (f for member, f in zip(members, found, strict=True) if type(value) is member)
    return next(near, found[0])


def _of_items(value: object, kind: type, wanted: tuple[Any, ...], where: str) -> str:
    if not isinstance(value, kind):
        return f"{where} is {type(value).__name__}, not {kind.__name__}"
    items: tuple[object, ...] = tuple(value)  # type: ignore[arg-type]
    each = wanted[:1] * len(items) if kind is frozenset or wanted[-1] is Ellipsis else wanted
    if len(each) != len(items):
        return f"{where} has {len(items)} items, not {len(each)}"
    faults = (_fault(item, one, f"{where}[{i}]") for i, (item, one) in enumerate(zip(items, each, strict=True)))
    return next((fault for fault in faults if fault), "")


def _of_fields(value: object, where: str) -> str:
    for name, wanted in _hints(type(value)):
        fault = _fault(getattr(value, name), wanted, f"{where}.{name}")
        if fault:
            return fault
    if isinstance(value, Lineage) and value.depth < 0:
        return f"{where}.depth is {value.depth}"
    if isinstance(value, Query) and value.top_k < 1:
        return f"{where}.top_k is {value.top_k}"
    return ""


@cache
def _hints(kind: type) -> tuple[tuple[str, Any], ...]:
    hints = get_type_hints(kind)
    return tuple((f.name, hints[f.name]) for f in fields(kind))
