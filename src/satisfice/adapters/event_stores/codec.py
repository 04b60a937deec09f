"""Facts as JSON text and back: one decoder per kind, sets sorted, floats exact, lone surrogates escaped."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec

from satisfice.adapters.event_stores.mirrors import mirror
from satisfice.core.facts import SCHEMA_VERSION, Fact, kind
from satisfice.core.wire import KINDS, LIFTS, Lift, lift

_ENCODER = msgspec.json.Encoder(order="deterministic")


class Unreadable(ValueError):
    """Text that is not a fact of its kind; the message says where."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """What one kind needs: the type msgspec reads and the way between it and the fact."""

    wire: Any
    decode: Callable[[bytes], Any]
    there: Callable[[Any], Any] | None
    back: Callable[[Any], Fact] | None


@cache
def _of(name: str) -> _Kind:
    mirrored = mirror(KINDS[name])
    wire = mirrored.wire if mirrored else KINDS[name]
    decode = msgspec.json.Decoder(wire).decode
    return _Kind(wire, decode, mirrored.there if mirrored else None, mirrored.back if mirrored else None)


def encode(fact: Fact) -> bytes:
    """UTF-8 JSON. Two equal facts have the same text, whatever order their sets iterate in.

    Raises
    ------
    Unreadable
        The fact could not be read back: a float that is not finite, or a field that does not hold its declared type.
    """
    of = _of(kind(fact))
    value = of.there(fact) if of.there else fact
    try:
        text = _ENCODER.encode(value)
    except UnicodeEncodeError:
        plain = msgspec.to_builtins(value, order="deterministic")
        text = json.dumps(plain, separators=(",", ":")).encode()
    # What cannot be read back is refused while its writer can still be told: a log is read long after it was written.
    _read(of, text)
    return text


def decode(
    name: str,
    schema: int,
    text: bytes,
    *,
    lifts: Mapping[tuple[str, int], Lift] = LIFTS,
    newest: int = SCHEMA_VERSION,
) -> Fact:
    """The fact that was encoded, lifted to the newest schema.

    Raises
    ------
    UnknownFact
        A kind or schema this version does not know.
    Unreadable
        The text is damaged.
    """
    if schema != newest or name not in KINDS:
        fact, data = lift(name, schema, _plain(text), lifts, newest)
        name, text = fact.__name__, json.dumps(data).encode()
    of = _of(name)
    value = _read(of, text)
    return of.back(value) if of.back else value


def _read(of: _Kind, text: bytes) -> Any:
    try:
        return of.decode(text)
    except msgspec.ValidationError as error:
        raise Unreadable(str(error)) from error
    except msgspec.DecodeError:
        # msgspec refuses the escape of a lone surrogate, which JSON allows and Python text may hold.
        plain = _plain(text)
    try:
        return msgspec.convert(plain, of.wire)
    except msgspec.ValidationError as error:
        raise Unreadable(str(error)) from error


def _plain(text: bytes) -> dict[str, object]:
    try:
        return json.loads(text)
    except ValueError as error:
        raise Unreadable(str(error)) from error
