"""Vectors in a file that is mapped into memory, and exact search over the rows a caller may read. Derived from `corpus.db`.

`vectors-E.f32` only ever grows; `rows-G.bin` says for generation G which passage is in which place of which file. A
reader of an older generation keeps both as they were. When more than half of the places are dead, the next generation
starts a new file.
"""

import json
import os
import re
from collections.abc import Generator, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from satisfice.errors import MissingExtraError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Rows = NDArray[np.int64]
    Flags = NDArray[np.bool_]

_HEADER_BYTES = 256
_BLOCK_ROWS = 1024
"""Rows compared at a time: a block of 256 dimensions stays in a processor's cache."""
_SLACK = 10_000
"""Dead places that are never worth a new file."""
_ROWS_FILE = re.compile(r"rows-(\d+)\.bin")
_VECTORS_FILE = re.compile(r"vectors-(\d+)\.f32")


class Placed(NamedTuple):
    """One passage's vector with what filters need to know."""

    passage: int
    permission: int
    label: int
    vector: bytes


def require_numpy() -> None:
    """Raises `MissingExtraError` when vectors cannot be searched."""
    try:
        import numpy as np
    except ImportError as absent:
        raise MissingExtraError("searching by vectors", "embeddings") from absent
    del np


def open_vectors(folder: Path, generation: int) -> "VectorView | None":
    """The vectors of a generation; None when they were never written or are damaged, and so have to be made anew."""
    try:
        return VectorView(folder, generation)
    except (OSError, ValueError, KeyError, TypeError):
        return None


class VectorView:
    """The vectors of one generation, read-only."""

    def __init__(self, folder: Path, generation: int) -> None:
        import numpy as np

        path = _rows_path(folder, generation)
        with path.open("rb") as file:
            header = json.loads(file.read(_HEADER_BYTES))
        self.by: str = header["by"]
        self.dim: int = header["dim"]
        self.epoch: int = header["epoch"]
        self.places: int = header["places"]
        count: int = header["count"]
        if path.stat().st_size != _HEADER_BYTES + 32 * count:
            raise ValueError(f"{path} is cut short")
        table: Rows = (
            np.memmap(path, dtype="<i8", mode="r", offset=_HEADER_BYTES, shape=(4, count))
            if count
            else np.zeros((4, 0), dtype="<i8")
        )
        self.passages, self.permissions, self.labels, self.slots = table
        self._vectors: Floats = np.zeros((0, self.dim), dtype="<f4")
        if self.places:
            self._vectors = np.memmap(
                folder / f"vectors-{self.epoch}.f32", dtype="<f4", mode="r", shape=(self.places, self.dim)
            )

    def __len__(self) -> int:
        return len(self.passages)

    def select(self, permissions: Sequence[int], labels: Sequence[int] | None) -> "Rows":
        """Places in this view of the passages under one of the permissions and, when given, one of the labels."""
        import numpy as np

        mask = _among(self.permissions, permissions)
        if labels is not None:
            mask &= _among(self.labels, labels)
        return np.flatnonzero(mask)

    def cosines(self, query: bytes, allowed: "Rows") -> "Floats":
        """The cosine of each allowed row with the query, exactly."""
        import numpy as np

        wanted = np.frombuffer(query, dtype="<f4")
        slots = self.slots[allowed]
        result: Floats = np.empty(len(slots), dtype=np.float32)
        buffer: Floats = np.empty((_BLOCK_ROWS, self.dim), dtype=np.float32)
        for start in range(0, len(slots), _BLOCK_ROWS):
            block = slots[start : start + _BLOCK_ROWS]
            first, last = int(block[0]), int(block[-1])
            if last - first == len(block) - 1:
                rows = self._vectors[first : last + 1]
            else:
                rows = np.take(self._vectors, block, axis=0, out=buffer[: len(block)], mode="clip")
            # Not `dot`: its threads spin for longer than the work takes, and cost a busy machine several times the CPU.
            np.vecdot(rows, wanted, out=result[start : start + len(block)])
        return result

    def position(self, passages: Sequence[int]) -> "Rows":
        """Where passages are in this view; -1 for those without a vector. Passages are numbered upwards as they come."""
        import numpy as np

        asked = np.asarray(passages, dtype=np.int64)
        if not len(self.passages):
            return np.full(len(asked), -1, dtype=np.int64)
        found = np.minimum(np.searchsorted(self.passages, asked), len(self.passages) - 1)
        return np.where(self.passages[found] == asked, found, -1)

    def block(self, slots: "Rows") -> bytes:
        """The vectors in these places of the file, one after the other."""
        return self._vectors[slots].tobytes()


def write_generation(
    folder: Path,
    generation: int,
    *,
    by: str,
    dim: int,
    previous: VectorView | None,
    dead: Sequence[int],
    added: Iterable[Sequence[Placed]],
) -> Generator[None]:
    """Write the vectors of a generation: those of `previous` without the `dead` passages, then the `added` ones.

    `added` comes in pages of ascending passage numbers; yields after each page, so that a caller can give way.
    """
    import numpy as np

    kept: Rows = np.zeros((4, 0), dtype="<i8")
    epoch, places = _next_epoch(folder), 0
    moved: VectorView | None = None
    if previous is not None:
        alive = ~_among(previous.passages, dead)
        kept = np.stack([previous.passages, previous.permissions, previous.labels, previous.slots])[:, alive]
        if previous.places - kept.shape[1] > kept.shape[1] + _SLACK:
            moved = previous
        else:
            epoch, places = previous.epoch, previous.places
    columns = [kept]
    path = folder / f"vectors-{epoch}.f32"
    with path.open("r+b" if path.exists() else "w+b") as file:
        # What lies beyond the last complete generation was written by someone who died.
        file.truncate(4 * dim * places)
        file.seek(0, os.SEEK_END)
        if moved is not None:
            for start in range(0, kept.shape[1], _BLOCK_ROWS):
                file.write(moved.block(kept[3, start : start + _BLOCK_ROWS]))
                yield
            kept[3] = np.arange(kept.shape[1])
            places = kept.shape[1]
        for page in added:
            file.write(b"".join(placed.vector for placed in page))
            numbers = [(placed.passage, placed.permission, placed.label) for placed in page]
            column: Rows = np.empty((4, len(page)), dtype="<i8")
            column[:3] = np.asarray(numbers, dtype="<i8").reshape(-1, 3).T
            column[3] = np.arange(places, places + len(page))
            columns.append(column)
            places += len(page)
            yield
        file.flush()
        os.fsync(file.fileno())
    table: Rows = np.concatenate(columns, axis=1)
    header = {"by": by, "dim": dim, "epoch": epoch, "places": places, "count": int(table.shape[1])}
    _replace(_rows_path(folder, generation), json.dumps(header).encode().ljust(_HEADER_BYTES), table)


def forget_generations(folder: Path, keep: int) -> None:
    """Delete the files that neither generation `keep` nor a later one needs."""
    epochs: set[int] = set()
    for path in sorted(folder.glob("rows-*.bin")):
        match = _ROWS_FILE.fullmatch(path.name)
        if match is None:
            continue
        if int(match[1]) < keep:
            _drop(path)
        else:
            with path.open("rb") as file:
                epochs.add(json.loads(file.read(_HEADER_BYTES))["epoch"])
    for path in sorted(folder.glob("vectors-*.f32")):
        match = _VECTORS_FILE.fullmatch(path.name)
        if match is not None and int(match[1]) not in epochs:
            _drop(path)


def _drop(path: Path) -> None:
    with suppress(OSError):  # some systems keep what a reader has mapped: it goes with a later generation
        path.unlink()


def _rows_path(folder: Path, generation: int) -> Path:
    return folder / f"rows-{generation}.bin"


def _among(values: "Rows", accepted: Sequence[int]) -> "Flags":
    """`isin` by a table of flags: the numbers are row numbers and so small."""
    import numpy as np

    if not len(values):
        return np.zeros(0, dtype=np.bool_)
    flags: Flags = np.zeros(int(values.max()) + 1, dtype=np.bool_)
    numbers = np.asarray([number for number in accepted if number < len(flags)], dtype=np.int64)
    flags[numbers] = True
    return flags[values]


def _next_epoch(folder: Path) -> int:
    names = [_VECTORS_FILE.fullmatch(path.name) for path in folder.glob("vectors-*.f32")]
    return 1 + max((int(match[1]) for match in names if match), default=0)


def _replace(path: Path, header: bytes, table: "Rows") -> None:
    """Write beside, then rename: a reader sees the whole file or none."""
    draft = path.with_suffix(".draft")
    with draft.open("wb") as file:
        file.write(header)
        file.write(table.tobytes())
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
