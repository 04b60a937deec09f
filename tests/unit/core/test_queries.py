"""Identity of queries: which spellings and orders count as one, and what makes another."""

from dataclasses import replace

from satisfice.core.ids import SourceId
from satisfice.core.queries import Filters, Query

QUERY = Query("overdue shipments north", SourceId("s"), filters=Filters(fields=(("a", ("1", "2")), ("b", ("3",)))))


def test_case_spacing_width_and_the_order_of_filters_do_not_make_another_query() -> None:
    for text in ("  Overdue   SHIPMENTS north", "ｏｖｅｒｄｕｅ　shipments north", "overdue\tshipments\nnorth"):
        assert replace(QUERY, text=text).identity() == QUERY.identity()
    turned = Filters(fields=(("b", ("3",)), ("a", ("2", "1"))))
    assert replace(QUERY, filters=turned).identity() == QUERY.identity()
    assert replace(QUERY, source=SourceId("t")).identity() == QUERY.identity()


def test_another_text_filter_date_document_weight_vector_text_or_size_makes_another_query() -> None:
    others = [
        replace(QUERY, text="overdue shipments south"),
        replace(QUERY, filters=Filters(fields=(("a", ("1",)), ("b", ("3",))))),
        replace(QUERY, filters=replace(QUERY.filters, published_from="2025-01-01")),
        replace(QUERY, filters=replace(QUERY.filters, documents=("d",))),
        replace(QUERY, weights=(("north", 2.0),)),
        replace(QUERY, about="late parcels"),
        replace(QUERY, top_k=9),
    ]
    assert len({QUERY.identity(), *(other.identity() for other in others)}) == len(others) + 1


def test_filters_narrow_when_everything_they_let_through_passes_the_outer_ones() -> None:
    outer = Filters(
        fields=(("a", ("1", "2")),), published_from="2025-01-01", published_to="2025-12-31", documents=("d", "e")
    )
    assert outer.narrows(outer)
    assert outer.narrows(Filters())
    assert not Filters().narrows(outer)
    for wider in (
        replace(outer, fields=(("a", ("1", "3")),)),
        replace(outer, fields=()),
        replace(outer, published_from="2024-12-31"),
        replace(outer, published_to=None),
        replace(outer, documents=()),
        replace(outer, documents=("d", "f")),
    ):
        assert not wider.narrows(outer)
    assert replace(outer, documents=("d",), fields=(("a", ("2",)), ("b", ("9",)))).narrows(outer)
