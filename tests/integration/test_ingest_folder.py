"""A real folder into a real store: what is added, changed, removed, left alone and left out."""

import asyncio
import gzip
import json
import os
import random
import shutil
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from satisfice.adapters.corpora.local import LocalCorpus
from satisfice.adapters.tokens.estimate import EstimatedTokens
from satisfice.core.access import Permission, Principal
from satisfice.core.ids import DocumentId, SourceId
from satisfice.core.passages import Document, Passage
from satisfice.core.queries import Query
from satisfice.core.sources import Authority, EvidenceClass, SourceProfile
from satisfice.corpus.chunking import Cutter
from satisfice.corpus.ingesting import Folder, IngestReport, Progress, ingest
from satisfice.errors import CorpusBusy, InputError
from satisfice.testing.clock import FakeClock

HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"
SOURCE = SourceId("handbook")
CUTTER = Cutter(EstimatedTokens())


class KeptCorpus:
    """A `CorpusStore` in memory that shows what it holds, what it was asked, and fails when told to."""

    def __init__(self) -> None:
        self.held: dict[DocumentId, tuple[Document, Sequence[Passage]]] = {}
        self.calls: list[str] = []
        self.busy = False
        self.wait_at_put = asyncio.Event()
        self.wait_at_put.set()
        self._next: dict[DocumentId, tuple[Document, Sequence[Passage]]] | None = None

    async def known_hashes(self) -> Mapping[DocumentId, str]:
        return {identity: document.content_hash for identity, (document, _) in self.held.items()}

    async def begin(self) -> None:
        if self.busy:
            raise CorpusBusy("kept", "another process writes", retryable=True)
        self.calls.append("begin")
        self._next = dict(self.held)

    async def put(self, document: Document, passages: Sequence[Passage]) -> None:
        assert self._next is not None
        self.calls.append(f"put {document.uri}")
        self._next[document.id] = (document, tuple(passages))
        await self.wait_at_put.wait()

    async def delete(self, ids: Sequence[DocumentId]) -> None:
        assert self._next is not None
        self.calls.append(f"delete {len(ids)}")
        for identity in ids:
            self._next.pop(identity, None)

    async def commit(self) -> int:
        assert self._next is not None
        self.calls.append("commit")
        self.held, self._next = self._next, None
        return self.calls.count("commit")

    async def abandon(self) -> None:
        self.calls.append("abandon")
        self._next = None

    def texts(self) -> dict[str, str]:
        return {document.uri: document.text for document, _ in self.held.values()}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    return folder


@pytest.fixture
def stamps(tmp_path: Path) -> Path:
    return tmp_path / "store" / "stamps"


def write(path: Path, text: str, *, at: int = 1_000) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (at, at))


async def take_in(
    root: Path, store: KeptCorpus | LocalCorpus, stamps: Path | None = None, **folder: object
) -> IngestReport:
    return await ingest(Folder(root, SOURCE, **folder), store, cutter=CUTTER, clock=FakeClock(), stamps=stamps)


def counts(report: IngestReport) -> tuple[int, int, int, int]:
    return report.added, report.changed, report.removed, report.unchanged


async def test_the_handbook_is_taken_in_whole_and_can_be_searched(tmp_path: Path) -> None:
    async with LocalCorpus(tmp_path / "corpus", SourceProfile(SOURCE)) as corpus:
        report = await take_in(HANDBOOK, corpus, tmp_path / "stamps")
        assert (report.files, counts(report), report.skipped, report.notices) == (37, (41, 0, 0, 0), (), ())
        again = await take_in(HANDBOOK, corpus, tmp_path / "stamps")
        assert (counts(again), again.generation) == ((0, 0, 0, 41), None)
        hits = await corpus.search(Query("refund window annual plans", SOURCE), Principal(), limit=2)
        assert [found.provenance.uri for found in hits.passages] == [
            "plans/refund-policy.md",
            "plans/refund-policy-2024.md",
        ]
        assert hits.passages[0].provenance.headings == ("Refund policy", "Refund window")
        assert hits.passages[0].provenance.lines == (12, 14)


async def test_what_the_handbooks_documents_declare_reaches_their_passages() -> None:
    store = KeptCorpus()
    await take_in(HANDBOOK, store)
    documents = {document.uri: document for document, _ in store.held.values()}
    newer = documents["plans/refund-policy.md"]
    assert (newer.version, newer.published_at, newer.authority) == ("2.0", "2026-04-01", Authority.OFFICIAL)
    assert "plans/refund-policy-2024.md" in newer.supersedes
    assert documents["hr/salary-bands.md"].permission == Permission(tags=frozenset({"hr"}))
    assert documents["finance/acquisition-memo.md"].permission.tags == {"finance"}
    forum = documents["forum/refund-after-60-days.md"]
    assert (forum.evidence_class, forum.authority) == (EvidenceClass.FORUM, Authority.COMMUNITY)
    assert documents["regions/eu.md"].published_at == "2026-05-25"
    assert ("region", "eu") in documents["regions/eu.md"].metadata
    pdf, passages = next(held for held in store.held.values() if held[0].uri == "legal/data-processing-summary.pdf")
    assert pdf.title == "Data processing summary"
    assert [passage.provenance.pages for passage in passages] == [(1, 1), (2, 2), (3, 3)]
    restricted = [document.uri for document in documents.values() if document.permission.tags]
    assert sorted(restricted) == ["finance/acquisition-memo.md", "hr/salary-bands.md"]


async def test_every_passage_is_an_exact_slice_of_its_stored_document() -> None:
    store = KeptCorpus()
    await take_in(HANDBOOK, store)
    for document, passages in store.held.values():
        assert passages
        for passage in passages:
            assert passage.text == document.text[passage.provenance.start : passage.provenance.end]
            assert passage.provenance.document_hash == document.content_hash


async def test_only_what_changed_is_stored_again_and_what_is_gone_is_removed(root: Path, stamps: Path) -> None:
    store = KeptCorpus()
    for name in ("a.md", "b.md", "c.md"):
        write(root / name, f"text of {name}")
    assert counts(await take_in(root, store, stamps)) == (3, 0, 0, 0)
    write(root / "b.md", "another text", at=2_000)
    (root / "c.md").unlink()
    write(root / "d.md", "new")
    store.calls.clear()
    assert counts(await take_in(root, store, stamps)) == (1, 1, 1, 1)
    assert store.calls == ["begin", "put b.md", "put d.md", "delete 1", "commit"]
    assert store.texts() == {"a.md": "text of a.md", "b.md": "another text", "d.md": "new"}


async def test_unchanged_files_are_not_even_opened(root: Path, stamps: Path) -> None:
    store = KeptCorpus()
    write(root / "a.md", "before")
    write(root / "page.html", "<p>before")
    await take_in(root, store, stamps)
    write(root / "a.md", "latest")  # same size, same time: only reading would show it
    write(root / "page.html", "<p>latest")
    store.calls.clear()
    assert counts(await take_in(root, store, stamps)) == (0, 0, 0, 2)
    assert store.calls == []


async def test_a_touched_or_copied_file_is_read_but_not_stored_again(root: Path, stamps: Path) -> None:
    store = KeptCorpus()
    write(root / "a.md", "text")
    write(root / "page.html", "<p>text")
    await take_in(root, store, stamps)
    for name in ("a.md", "page.html"):
        os.utime(root / name, (5_000, 5_000))
    store.calls.clear()
    assert counts(await take_in(root, store, stamps)) == (0, 0, 0, 2)
    assert store.calls == []


async def test_without_a_memory_of_files_their_hashes_still_spare_the_store(root: Path) -> None:
    store = KeptCorpus()
    write(root / "a.md", "text")
    write(root / "page.html", "<p>text")
    await take_in(root, store)
    store.calls.clear()
    assert counts(await take_in(root, store)) == (0, 0, 0, 2)
    assert store.calls == []


async def test_a_memory_that_speaks_of_another_store_is_not_believed(root: Path, stamps: Path) -> None:
    write(root / "a.md", "text")
    await take_in(root, KeptCorpus(), stamps)
    emptied = KeptCorpus()
    assert counts(await take_in(root, emptied, stamps)) == (1, 0, 0, 0)
    assert emptied.texts() == {"a.md": "text"}


async def test_new_folder_defaults_reach_files_that_did_not_change(root: Path, stamps: Path) -> None:
    store = KeptCorpus()
    write(root / "in" / "a.md", "text")
    await take_in(root, store, stamps)
    write(root / "in" / ".satisfice.toml", 'access = ["hr"]')
    assert counts(await take_in(root, store, stamps)) == (0, 1, 0, 0)
    ((document, passages),) = store.held.values()
    assert document.permission.tags == passages[0].provenance.permission.tags == {"hr"}


async def test_another_limit_cuts_everything_again(root: Path, stamps: Path) -> None:
    store = KeptCorpus()
    write(root / "a.md", "word " * 500)
    await take_in(root, store, stamps)
    smaller = Cutter(EstimatedTokens(), passage_tokens=100)
    report = await ingest(Folder(root, SOURCE), store, cutter=smaller, clock=FakeClock(), stamps=stamps)
    assert counts(report) == (0, 1, 0, 0)
    ((_, passages),) = store.held.values()
    assert max(passage.tokens for passage in passages) <= 100


async def test_settings_give_tenant_tags_class_and_the_highest_authority(root: Path) -> None:
    store = KeptCorpus()
    write(root / "a.md", "---\nauthority: primary\naccess: [staff, everyone]\n---\ntext")
    permission = Permission("acme", frozenset({"staff", "hr"}))
    report = await take_in(
        root, store, permission=permission, authority=Authority.SECONDARY, evidence_class=EvidenceClass.POLICY
    )
    ((document, _),) = store.held.values()
    assert document.permission == Permission("acme", frozenset({"staff"}))
    assert (document.authority, document.evidence_class) == (Authority.SECONDARY, EvidenceClass.POLICY)
    assert "lowered to secondary" in str(report.notices[0])


async def test_broken_files_are_named_and_the_rest_goes_on(root: Path) -> None:
    write(root / "good.md", "good")
    write(root / "empty.md", "")
    (root / "garbage.md").write_bytes(random.Random(7).randbytes(3000))
    (root / "broken.pdf").write_bytes(b"%PDF-1.4 broken")
    (root / "broken.docx").write_bytes(b"no zip")
    write(root / "broken.json", "{")
    write(root / "nothing.html", "<script>only()</script>")
    write(root / "records.jsonl", '{"text": "one"}\nnonsense\n')
    write(root / "widens" / ".satisfice.toml", 'access = ["hr"]')
    write(root / "widens" / "a.md", "---\naccess: [all]\n---\nsecret")
    store = KeptCorpus()
    report = await take_in(root, store)
    assert store.texts() == {"good.md": "good", "records.jsonl#1": "one"}
    reasons = {skip.uri: skip.why for skip in report.skipped}
    assert {name: reason.split(":")[0].split("(")[0].strip() for name, reason in reasons.items()} == {
        "empty.md": "empty",
        "garbage.md": "not text",
        "broken.pdf": "damaged",
        "broken.docx": "damaged, or not a .docx",
        "broken.json": "not JSON",
        "nothing.html": "there is no text in it",
        "widens/a.md": reasons["widens/a.md"].split(":")[0],
    }
    assert "narrow its folder's access" in reasons["widens/a.md"]
    assert [str(notice) for notice in report.notices] == [
        "records.jsonl: line 2: not JSON: expecting value (line 1, column 1)"
    ]


async def test_a_file_that_breaks_later_is_not_in_the_store_any_more(root: Path, stamps: Path) -> None:
    store = KeptCorpus()
    write(root / "a.md", "text")
    await take_in(root, store, stamps)
    (root / "a.md").write_bytes(bytes(100))
    report = await take_in(root, store, stamps)
    assert (counts(report), store.texts()) == ((0, 0, 1, 0), {})
    assert report.skipped[0].uri == "a.md"


async def test_a_record_that_cannot_be_placed_takes_its_whole_file_out(root: Path) -> None:
    store = KeptCorpus()
    write(root / "r.jsonl", '{"text": "first"}\n{"text": "second", "access": {"odd": 1}}\n')
    report = await take_in(root, store)
    assert (store.texts(), counts(report)) == ({}, (0, 0, 0, 0))
    assert "access" in report.skipped[0].why


async def test_a_folder_that_is_missing_is_an_error_and_an_empty_one_a_report(tmp_path: Path, root: Path) -> None:
    store = KeptCorpus()
    with pytest.raises(InputError, match="no such file"):
        await take_in(tmp_path / "nowhere", store)
    report = await take_in(root, store)
    assert (report.files, counts(report), report.generation) == (0, (0, 0, 0, 0), None)


async def test_a_single_file_is_a_source(root: Path) -> None:
    write(root / "corpus.jsonl", '{"id": "x", "title": "T", "text": "one"}\n{"id": "y", "text": "two"}\n')
    store = KeptCorpus()
    assert counts(await take_in(root / "corpus.jsonl", store)) == (2, 0, 0, 0)
    assert store.texts() == {"corpus.jsonl#x": "one", "corpus.jsonl#y": "two"}


async def test_patterns_given_by_the_caller_leave_files_out(root: Path) -> None:
    write(root / "a.md", "a")
    write(root / "drafts" / "b.md", "b")
    store = KeptCorpus()
    await take_in(root, store, ignore=("drafts/",))
    assert store.texts() == {"a.md": "a"}


async def test_a_busy_store_matters_only_when_there_is_something_to_write(root: Path) -> None:
    store = KeptCorpus()
    write(root / "a.md", "text")
    await take_in(root, store)
    store.busy = True
    assert counts(await take_in(root, store)) == (0, 0, 0, 1)
    write(root / "b.html", "<p>new")
    with pytest.raises(CorpusBusy):
        await take_in(root, store)


async def test_a_cancelled_ingest_leaves_the_last_generation_and_nothing_running(root: Path, stamps: Path) -> None:
    store = KeptCorpus()
    write(root / "a.md", "old")
    await take_in(root, store, stamps)
    write(root / "a.md", "newer", at=2_000)
    for number in range(6):
        write(root / f"{number}.html", f"<p>page {number}")
    store.wait_at_put.clear()
    before = threading.active_count()
    running = asyncio.create_task(take_in(root, store, stamps))
    while not any(call.startswith("put") for call in store.calls[3:]):
        await asyncio.sleep(0.001)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert store.calls[-1] == "abandon"
    assert store.texts() == {"a.md": "old"}
    assert len(asyncio.all_tasks()) == 1
    assert threading.active_count() <= before + 1
    store.wait_at_put.set()
    assert counts(await take_in(root, store, stamps)) == (6, 1, 0, 0)


async def test_progress_rises_to_all_files(root: Path) -> None:
    seen: list[Progress] = []
    for number in range(30):
        write(root / f"{number}.md", "# Head\n\ntext")
    write(root / "page.html", "<p>x")
    await ingest(Folder(root, SOURCE), KeptCorpus(), cutter=CUTTER, clock=FakeClock(), on_progress=seen.append)
    assert seen == sorted(seen, key=lambda step: step.files_done)
    assert seen[-1] == Progress(31, 31, 31)


async def test_odd_names_are_stored_found_again_and_removed(root: Path) -> None:
    names = [b"caf\xe9.md", b"new\nline.md", b"\xed\xa0\x80.html", "日本語.json".encode()]
    for name in names:
        write(root / os.fsdecode(name), json.dumps(f"text of {name!r}"))
    store = KeptCorpus()
    assert counts(await take_in(root, store)) == (4, 0, 0, 0)
    for document, _ in store.held.values():
        assert f"{document.uri}{document.id}{document.title}".encode()
    assert counts(await take_in(root, store)) == (0, 0, 0, 4)
    shutil.rmtree(root)
    root.mkdir()
    assert counts(await take_in(root, store)) == (0, 0, 4, 0)


async def test_a_file_that_keeps_changing_is_reported_and_one_that_changed_once_is_read(root: Path) -> None:
    restless, settled = root / "restless.md", root / "settled.md"
    big = "word " * 1_000_000
    write(restless, big)
    write(settled, big, at=3_000)
    store, writes = KeptCorpus(), {"settled": 0}

    async def disturb() -> None:
        number = 4_000
        while True:
            number += 1
            os.utime(restless, (number, number))
            if writes["settled"] == 0 and any("settled" in call for call in store.calls):
                writes["settled"] += 1
                os.utime(settled, (number, number))
            await asyncio.sleep(0)

    disturbing = asyncio.create_task(disturb())
    report = await take_in(root, store)
    disturbing.cancel()
    assert "changed while it was read" in {skip.uri: skip.why for skip in report.skipped}["restless.md"]
    assert writes["settled"] == 1
    assert {uri.partition("#")[0] for uri in store.texts()} == {"settled.md"}


async def test_compressed_text_is_a_document(root: Path) -> None:
    (root / "NEWS.gz").write_bytes(gzip.compress("Änderungen".encode()))
    store = KeptCorpus()
    await take_in(root, store)
    assert store.texts() == {"NEWS.gz": "Änderungen"}
