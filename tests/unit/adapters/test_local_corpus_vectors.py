"""The matrix on disk: generations beside each other, exact cosines, damage seen."""

import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from satisfice.adapters.corpora.vectors import (
    Placed,
    VectorView,
    forget_generations,
    open_vectors,
    write_generation,
)

DIM = 8


def vector(seed: int) -> bytes:
    row = np.random.default_rng(seed).standard_normal(DIM)
    return (row / np.linalg.norm(row)).astype("<f4").tobytes()


def placed(passages: Sequence[int]) -> list[Placed]:
    return [Placed(passage, passage % 3, passage % 5, vector(passage)) for passage in passages]


def write(
    folder: Path,
    generation: int,
    added: Sequence[int],
    *,
    dead: Sequence[int] = (),
    previous: VectorView | None = None,
    page: int = 7,
) -> VectorView:
    rows = placed(added)
    pages = [rows[start : start + page] for start in range(0, len(rows), page)]
    for _ in write_generation(folder, generation, by="t/1", dim=DIM, previous=previous, dead=dead, added=pages):
        pass
    return VectorView(folder, generation)


def holds(view: VectorView, passages: Sequence[int]) -> None:
    assert list(view.passages) == list(passages)
    assert view.block(view.slots) == b"".join(vector(passage) for passage in passages)
    assert list(view.permissions) == [passage % 3 for passage in passages]
    assert list(view.labels) == [passage % 5 for passage in passages]


def test_a_generation_holds_what_was_added_without_the_dead(tmp_path: Path) -> None:
    first = write(tmp_path, 1, range(1, 30))
    second = write(tmp_path, 2, range(40, 50), dead=[3, 4, 29], previous=first)

    holds(second, [n for n in range(1, 29) if n not in {3, 4}] + list(range(40, 50)))
    holds(first, range(1, 30))
    assert (second.by, second.dim) == ("t/1", DIM)


def test_an_empty_generation_is_one_too(tmp_path: Path) -> None:
    empty = write(tmp_path, 1, [])

    holds(empty, [])
    assert len(empty.select([0, 1], None)) == 0
    assert list(empty.position([5])) == [-1]
    holds(write(tmp_path, 2, [5], previous=empty), [5])


def test_what_a_dead_writer_left_behind_is_overwritten(tmp_path: Path) -> None:
    first = write(tmp_path, 1, range(1, 10))
    steps = write_generation(
        tmp_path, 2, by="t/1", dim=DIM, previous=first, dead=[], added=[placed([90, 91]), placed([92])]
    )
    next(steps)
    steps.close()

    holds(write(tmp_path, 2, [50], previous=first), [*range(1, 10), 50])


def test_cosines_are_exact_whatever_is_allowed(tmp_path: Path) -> None:
    view = write(tmp_path, 1, range(1, 3_000), page=500)
    query = vector(7)
    wanted = np.frombuffer(query, "<f4")
    everything = np.stack([np.frombuffer(vector(n), "<f4") for n in range(1, 3_000)])

    for allowed in (np.arange(2_999), np.arange(0, 2_999, 7), np.array([5]), np.arange(100, 1_500)):
        assert np.allclose(view.cosines(query, allowed), everything[allowed] @ wanted, atol=1e-6)
    assert len(view.cosines(query, np.array([], dtype=np.int64))) == 0


def test_selecting_goes_by_permission_and_label(tmp_path: Path) -> None:
    view = write(tmp_path, 1, range(1, 31))

    assert list(view.passages[view.select([0], None)]) == [n for n in range(1, 31) if n % 3 == 0]
    assert list(view.passages[view.select([0, 1, 99], [2])]) == [n for n in range(1, 31) if n % 3 < 2 and n % 5 == 2]
    assert len(view.select([], None)) == 0
    assert len(view.select([0], [])) == 0


def test_positions_of_passages_are_found(tmp_path: Path) -> None:
    view = write(tmp_path, 1, [2, 5, 9])

    assert list(view.position([9, 2, 4, 10, 1])) == [2, 0, -1, -1, -1]


def test_forgetting_keeps_the_newest_and_its_vectors(tmp_path: Path) -> None:
    first = write(tmp_path, 1, range(1, 10))
    write(tmp_path, 2, [20], previous=first)
    (tmp_path / "vectors-7.f32").write_bytes(b"of nobody")
    forget_generations(tmp_path, 2)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows-2.bin", "vectors-1.f32"]
    holds(VectorView(tmp_path, 2), [*range(1, 10), 20])


@pytest.mark.parametrize("content", [b"", b"{", b"{}".ljust(256), b"[1]".ljust(300), struct.pack("<d", 1.5) * 64])
def test_damaged_rows_are_no_vectors(tmp_path: Path, content: bytes) -> None:
    write(tmp_path, 1, range(1, 10))
    (tmp_path / "rows-1.bin").write_bytes(content)

    assert open_vectors(tmp_path, 1) is None


def test_a_generation_never_written_is_none(tmp_path: Path) -> None:
    assert open_vectors(tmp_path, 1) is None
