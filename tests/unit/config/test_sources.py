"""Which sources a caller means."""

from pathlib import Path

import pytest

from satisfice.config.sources import chosen
from satisfice.config.tables import Settings, SourceTable
from satisfice.errors import InputError


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "handbook").mkdir()
    return Settings(source={"rules": SourceTable(path=tmp_path / "handbook", access=("staff",))})


def test_without_folders_all_sources_of_the_settings_are_meant(settings: Settings) -> None:
    assert chosen(settings, ()) == settings.source


def test_a_described_folder_keeps_who_may_read_it_however_it_is_reached(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "handbook")
    for asked in (Path("rules"), tmp_path / "handbook", tmp_path / "handbook" / ".." / "handbook", tmp_path / "link"):
        assert chosen(settings, [asked]) == settings.source


def test_a_folder_described_by_a_link_is_the_same_folder(tmp_path: Path) -> None:
    (tmp_path / "handbook").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "handbook")
    described = Settings(source={"rules": SourceTable(path=tmp_path / "link", access=("staff",))})
    assert chosen(described, [tmp_path / "handbook"]) == described.source


def test_other_folders_get_names_of_their_own(settings: Settings, tmp_path: Path) -> None:
    for name in ("a/rules", "b/rules", "c/Straße 9"):
        (tmp_path / name).mkdir(parents=True)
    found = chosen(settings, [tmp_path / "a/rules", tmp_path / "b/rules", tmp_path / "c/Straße 9"])
    assert list(found) == ["rules-2", "rules-3", "Stra-e-9"]
    assert [source.access for source in found.values()] == [(), (), ()]


def test_a_missing_folder_is_answered_with_the_nearest_name(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Did you mean 'handbook'"):
        chosen(settings, [tmp_path / "handbok"])


def test_one_file_can_be_a_source(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("x")
    assert list(chosen(settings, [tmp_path / "notes.md"])) == ["notes-md"]
