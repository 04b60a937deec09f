"""Terms of passages and their signatures."""

import subprocess
import sys

from hypothesis import example, given
from hypothesis import strategies as st

from satisfice.adapters.corpora.records import MAX_TERM_CHARS, bounded_terms, terms_of
from satisfice.adapters.corpora.signatures import SIGNED_BY, signature
from satisfice.testing.conformance.example_corpus import whole


def resemblance(one: str, other: str) -> float:
    pairs = list(zip(signature(one), signature(other), strict=True))
    return sum(a == b for a, b in pairs) / len(pairs)


def test_the_body_begins_with_the_head() -> None:
    _, (passage,) = whole("a", "Annual plans.", title="Refunds", headings=("Refunds", "Windows"))
    terms = terms_of(passage)

    assert terms.head == "refund window"
    assert terms.body == "refund window annu plan"
    assert terms.length == 4


@given(st.text(max_size=300))
@example("\ufc5e")
def test_terms_stand_between_spaces_whatever_the_text(text: str) -> None:
    _, (passage,) = whole("a", text or "x", title=text)
    terms = terms_of(passage)

    assert len(terms.body.split()) == terms.length
    assert terms.body == " ".join(terms.body.split())
    terms.body.encode("utf-8")


def test_a_very_long_term_is_cut() -> None:
    (term,) = bounded_terms("x" * 1_000)

    assert len(term) == MAX_TERM_CHARS


def test_a_signature_tells_copies_from_others() -> None:
    text = (
        "The refund window of annual plans is fourteen days from the day on which the plan was bought or renewed. " * 3
    )
    edited = text.replace("fourteen", "thirty")

    assert SIGNED_BY
    assert len(signature(text)) == 64
    assert resemblance(text, text.upper()) == 1.0
    assert 0.5 < resemblance(text, edited) < 1.0
    assert resemblance(text, "Volcanoes of the southern islands erupt rarely, but then for a long time indeed.") < 0.1
    assert signature("  ?! ") == ()


def test_a_signature_is_the_same_in_every_process() -> None:
    script = "from satisfice.adapters.corpora.signatures import signature; print(signature('Refunds take long.'))"
    made = {
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("0", "1")
    }

    assert made == {f"{signature('Refunds take long.')}\n"}
