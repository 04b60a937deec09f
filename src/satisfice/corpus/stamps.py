"""What was learnt about each file last time, so that a file that did not change is not even opened.

A cache and nothing more: what it says is believed only where the store agrees, and losing it costs one reading.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from satisfice.core.ids import DocumentId
from satisfice.corpus.loading import Content, Stamp
from satisfice.corpus.walking import SourceFile

_YOUNG_NS = 2_000_000_000
"""A file changed this shortly before it was read may change again without its time showing it."""
_NEVER = -1


class Seen(msgspec.Struct, frozen=True, array_like=True):
    """One file as it was read. `context` names everything else its documents depend on."""

    size: int
    mtime_ns: int
    digest: str
    context: str
    documents: tuple[tuple[DocumentId, str], ...]

    def stands(self, known: Mapping[DocumentId, str]) -> bool:
        """Whether the store still holds exactly what the file gave."""
        return all(known.get(identity) == content_hash for identity, content_hash in self.documents)


class Stamps:
    """The files of one source, by their key."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._before = _read(path) if path is not None else {}
        self._now: dict[bytes, Seen] = {}

    def by_time(self, file: SourceFile, context: str) -> Seen | None:
        """What is known of a file that has the same size and time as before."""
        seen = self._before.get(file.key)
        same = seen is not None and (seen.size, seen.mtime_ns, seen.context) == (file.size, file.mtime_ns, context)
        return seen if same else None

    def by_digest(self, content: Content, context: str) -> Seen | None:
        """What is known of a file that has the same bytes as before."""
        seen = self._before.get(content.file.key)
        return seen if seen is not None and (seen.digest, seen.context) == (content.digest, context) else None

    def keep(self, file: SourceFile, seen: Seen) -> None:
        """Remember what was remembered already."""
        self._now[file.key] = seen

    def learn(self, content: Content, context: str, documents: tuple[tuple[DocumentId, str], ...], now_ns: int) -> None:
        """Remember a file that was read. `now_ns` is the wall clock's time when it was read."""
        settled = now_ns - content.stamp.mtime_ns > _YOUNG_NS
        stamp = content.stamp if settled else Stamp(content.stamp.size, _NEVER)
        self._now[content.file.key] = Seen(stamp.size, stamp.mtime_ns, content.digest, context, documents)

    def write(self) -> None:
        """Replace what was stored. A disk that refuses costs the next ingest one reading of every file."""
        if self._path is None:
            return
        beside = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            beside.write_bytes(msgspec.msgpack.encode(self._now))
            beside.replace(self._path)
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def _read(path: Path) -> dict[bytes, Seen]:
    try:
        return msgspec.msgpack.decode(path.read_bytes(), type=dict[bytes, Seen])
    except (OSError, msgspec.MsgspecError):
        return {}
