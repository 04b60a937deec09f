"""What every `CorpusStore` must do. Subclass it in a test module and provide the fixtures `store` and `reader`.

`store` is open and empty; `reader` is a `Retriever` over the same documents (it may be the same object).
"""

from collections.abc import Sequence
from dataclasses import replace

from satisfice.core.access import Permission, Principal
from satisfice.core.ids import DocumentId, PassageId
from satisfice.errors import CorpusBusy, CorpusError
from satisfice.ports.corpus_store import CorpusStore
from satisfice.ports.retriever import Retriever
from satisfice.testing.conformance.example_corpus import ANYONE, INSIDER, STAFF, Whole, asking, detailed, whole
from satisfice.testing.conformance.refusing import refused


async def ingested(store: CorpusStore, documents: Sequence[Whole], gone: Sequence[str] = ()) -> int:
    """One transaction that puts and deletes."""
    await store.begin()
    for document, passages in documents:
        await store.put(document, passages)
    await store.delete([DocumentId(name) for name in gone])
    return await store.commit()


async def found(reader: Retriever, text: str, who: Principal = ANYONE) -> set[str]:
    """The passages that a search gives."""
    return {passage.id for passage in (await reader.search(asking(text), who, limit=20)).passages}


class CorpusStoreConformance:
    """Atomicity, generations, replacing, deleting."""

    async def test_what_was_put_is_found_after_the_commit_and_not_before(
        self, store: CorpusStore, reader: Retriever
    ) -> None:
        document, passages = whole("a", "Refunds take long.")
        await store.begin()
        await store.put(document, passages)
        before = await found(reader, "refunds")
        await store.commit()

        assert before == set()
        assert await found(reader, "refunds") == {"a"}

    async def test_every_field_survives(self, store: CorpusStore, reader: Retriever) -> None:
        document, (passage,) = detailed()
        await ingested(store, [(document, (passage,))])

        assert list(await reader.look_up([passage.id], Principal("ana", "acme", STAFF))) == [passage]
        assert dict(await store.known_hashes()) == {document.id: document.content_hash}

    async def test_abandoned_work_leaves_no_trace(self, store: CorpusStore, reader: Retriever) -> None:
        number = await ingested(store, [whole("kept", "Refunds stay.")])
        await store.begin()
        await store.put(*whole("lost", "Refunds are lost."))
        await store.delete([DocumentId("kept")])
        await store.abandon()

        assert await found(reader, "refunds") == {"kept"}
        assert set(await store.known_hashes()) == {"kept"}
        assert await ingested(store, [whole("next", "Refunds go on.")]) == number + 1

    async def test_each_commit_that_changes_something_is_a_new_generation_and_version(
        self, store: CorpusStore, reader: Retriever
    ) -> None:
        first = await ingested(store, [whole("a", "One.")])
        versions = [(await reader.search(asking("one"), ANYONE, limit=1)).version]
        unchanged = await ingested(store, [])
        versions.append((await reader.search(asking("one"), ANYONE, limit=1)).version)
        second = await ingested(store, [whole("b", "Two.")])
        versions.append((await reader.search(asking("one"), ANYONE, limit=1)).version)

        assert (unchanged, second) == (first, first + 1)
        assert versions[0] == versions[1] != versions[2] == reader.profile.version

    async def test_putting_a_document_again_replaces_it_whole(self, store: CorpusStore, reader: Retriever) -> None:
        await ingested(store, [whole("a", "Refunds once.", "Refunds twice.", "Refunds thrice.")])
        await ingested(store, [whole("a", "Returns now.")])

        assert await found(reader, "refunds") == set()
        assert await found(reader, "returns") == {"a"}
        assert await reader.look_up([PassageId("a/1"), PassageId("a/2")], ANYONE) == []
        assert [p.text for p in await reader.look_up([PassageId("a")], ANYONE)] == ["Returns now."]

    async def test_the_last_put_of_a_transaction_counts(self, store: CorpusStore, reader: Retriever) -> None:
        await ingested(store, [whole("a", "First."), whole("a", "Second."), whole("a", "Third.", "And more.")])

        assert [p.text for p in await reader.look_up([PassageId("a"), PassageId("a/1")], ANYONE)] == [
            "Third.",
            "And more.",
        ]
        assert await found(reader, "first") == set()

    async def test_deleted_documents_are_gone_from_everything(self, store: CorpusStore, reader: Retriever) -> None:
        documents = [whole("a", "Refunds of Ann.", title="Ann"), whole("b", "Refunds of Bob; see Ann.")]
        await ingested(store, documents)
        await ingested(store, [], gone=["a", "never-there"])
        hits = await reader.search(asking("refunds ann"), ANYONE, limit=5)

        assert [p.id for p in hits.passages] == ["b"]
        assert hits.readable == 1
        assert [link for handle in hits.handles for link in handle.links] == []
        assert await reader.look_up([PassageId("a")], ANYONE) == []
        assert set(await reader.versions([DocumentId("a"), DocumentId("b")], ANYONE)) == {"b"}
        assert (await reader.statistics(["refund"], ANYONE)).containing == {"refund": 1}
        assert set(await store.known_hashes()) == {"b"}

    async def test_a_document_put_and_deleted_in_one_transaction_never_was(
        self, store: CorpusStore, reader: Retriever
    ) -> None:
        await ingested(store, [whole("a", "Refunds."), whole("b", "Refunds too.")], gone=["a"])

        assert await found(reader, "refunds") == {"b"}

    async def test_a_restriction_holds_from_the_commit_on(self, store: CorpusStore, reader: Retriever) -> None:
        document, passages = whole("a", "Refunds for all.")
        await ingested(store, [(document, passages)])
        await ingested(store, [whole("a", "Refunds for all.", permission=Permission(tags=STAFF))])

        assert await found(reader, "refunds") == set()
        assert await found(reader, "refunds", INSIDER) == {"a"}

    async def test_a_document_without_passages_is_known(self, store: CorpusStore, reader: Retriever) -> None:
        document, _ = whole("empty", "")
        await ingested(store, [(document, ())])

        assert dict(await store.known_hashes()) == {document.id: document.content_hash}

    async def test_inside_a_transaction_known_hashes_are_those_it_would_keep(self, store: CorpusStore) -> None:
        await ingested(store, [whole("a", "One."), whole("b", "Two.")])
        await store.begin()
        changed, passages = whole("a", "Changed.")
        await store.put(changed, passages)
        await store.delete([DocumentId("b")])

        assert dict(await store.known_hashes()) == {changed.id: changed.content_hash}
        await store.abandon()

    async def test_many_documents_in_one_transaction(self, store: CorpusStore, reader: Retriever) -> None:
        await ingested(store, [whole(f"d{n}", f"Refund number {n}.", f"Part two of {n}.") for n in range(700)])

        assert len(await store.known_hashes()) == 700
        assert await found(reader, "number 699") >= {"d699"}
        assert (await reader.search(asking("refund"), ANYONE, limit=1)).readable == 1400

    async def test_two_passages_of_one_name_are_refused_and_nothing_is_kept(
        self, store: CorpusStore, reader: Retriever
    ) -> None:
        await ingested(store, [whole("a", "Refunds.")])
        document, (passage,) = whole("b", "Refunds again.")
        error = await refused(CorpusError, ingested(store, [(document, (replace(passage, id=PassageId("a")),))]))
        await store.abandon()

        assert "'a'" in str(error)
        assert set(await store.known_hashes()) == {"a"}
        assert await found(reader, "refunds") == {"a"}

    async def test_there_is_one_writer(self, store: CorpusStore) -> None:
        await store.begin()
        error = await refused(CorpusBusy, store.begin())

        assert error.retryable
        await store.abandon()
        await store.begin()
        await store.abandon()

    async def test_writing_needs_a_beginning(self, store: CorpusStore) -> None:
        await refused(CorpusError, store.put(*whole("a", "One.")))
        await refused(CorpusError, store.delete([DocumentId("a")]))
        await refused(CorpusError, store.commit())
        await store.abandon()
