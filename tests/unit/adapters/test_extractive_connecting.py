"""Whether passages hang together for a question of several hops."""

from satisfice.adapters.reasoners.aiming import aim_of
from satisfice.adapters.reasoners.connecting import connected, connections, goes_through
from satisfice.adapters.reasoners.hopping import hop
from satisfice.adapters.reasoners.scoring import Scene, scored
from satisfice.core.ids import DocumentId, PassageId, SourceId
from satisfice.core.passages import Passage, Provenance
from satisfice.ports.retriever import TermStatistics

QUESTION = "Where was the director of The Long Road born?"


def passage(title: str, text: str) -> Passage:
    place = Provenance(SourceId("s"), DocumentId(title), title, title, 0, len(text))
    return Passage(PassageId(title), text, place, "", 1)


def scene(*passages: Passage) -> Scene:
    return Scene.of(passages, TermStatistics(1_000, {}), {}, {})


FILM = passage("The Long Road", "The Long Road is a film by the director Ana Berg. It has three acts.")
ANA = passage("Ana Berg", "Ana Berg (1950) is a Danish artist. She was born in Odense.")
OTHER = passage("Long Island", "Long Island has many roads. A director was born there.")


def test_the_way_from_the_named_thing_to_the_next_passage_counts() -> None:
    whole, broken = connections(QUESTION, scene(FILM, ANA)), connections(QUESTION, scene(FILM, OTHER))
    assert whole.chain > 0.5 > broken.chain
    assert connected(whole) > connected(broken)


def test_both_sides_of_a_comparison_must_be_there() -> None:
    question = "Which film came out first, The Long Road or Short Street?"
    street = passage("Short Street", "Short Street is a film of 1999.")
    assert connections(question, scene(FILM, street)).sides_needed == 1.0
    assert connections(question, scene(FILM, OTHER)).sides_needed < 0.6


def test_through_a_relation_each_side_must_go_on() -> None:
    question = "Which film has the older director, The Long Road or Short Street?"
    street = passage("Short Street", "Short Street is a film by the director Bo Dahl.")
    bo = passage("Bo Dahl", "Bo Dahl was born in 1940.")
    assert connections(question, scene(FILM, street, ANA)).sides_needed == 0.0
    assert connections(question, scene(FILM, street, ANA, bo)).sides_needed == 1.0


def test_a_passage_does_not_lead_to_itself() -> None:
    assert connections(QUESTION, scene(FILM)).chain == 0.0


def test_nothing_held_is_not_connected() -> None:
    assert connected(connections(QUESTION, scene())) < 0.5


def test_a_question_that_one_passage_has_whole_goes_through_nothing() -> None:
    assert goes_through(QUESTION, 0.4) > 0.5 > goes_through("How long is the refund window?", 0.9)
    assert goes_through(QUESTION, 0.2) > goes_through(QUESTION, 1.0)


def test_a_hop_leads_over_a_name_to_what_is_still_missing() -> None:
    aim, held = aim_of(QUESTION), scene(FILM, ANA, OTHER)
    found = hop(aim, held, scored(aim, held))
    assert found is not None
    assert (found.first.passage.id, found.second.passage.id) == ("The Long Road", "Ana Berg")


def test_a_name_that_adds_nothing_is_no_hop() -> None:
    aim, held = aim_of(QUESTION), scene(FILM, passage("Ana Berg", "Ana Berg likes tea."))
    assert hop(aim, held, scored(aim, held)) is None


def test_the_second_sentence_must_have_a_value_of_the_type_besides_the_name() -> None:
    aim = aim_of("Who is the boss of the director of The Long Road?")
    told = scene(FILM, passage("Ana Berg", "The boss of Ana Berg is Bo Dahl."))
    untold = scene(FILM, passage("Ana Berg", "The boss of Ana Berg is kind."))
    assert hop(aim, told, scored(aim, told)) is not None
    assert hop(aim, untold, scored(aim, untold)) is None
