"""Files that are written once: their owner hears of news, and nobody's edit is lost."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import mcpgen
from mcpgen.cli import run as mcpgen_command
from mcpgen.lock import Once, dump, text_hash
from mcpgen.problems import Problem, Problems
from mcpgen.project.check import check, template_differences
from mcpgen.project.verify import verify

from .shop import DOCUMENT, lock_of, project, save
from .shop import generate as write_project

OLD = "# The Makefile of an earlier version.\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project whose Makefile was written by an earlier version, from another template."""
    folder = project(tmp_path)
    (folder / "Makefile").write_text(OLD)
    remember(folder, "Makefile", Once(hash=text_hash(OLD), generator="0.1.9"))
    return folder


def remember(folder: Path, path: str, once: Once | None) -> None:
    """Change what the lock says of a file that was written once."""
    lock = lock_of(folder)
    records = {name: record for name, record in lock.once.items() if name != path}
    if once is not None:
        records[path] = once
    (folder / "mcpgen.lock").write_text(dump(replace(lock, once=records)))


def notes(folder: Path) -> list[Problem]:
    """What `check` says of such files; it passes all the same."""
    report = check(folder, Problems())
    assert report.passed or report.stale == ("`mcpgen.lock` is not what this run would write",)
    return [problem for problem in report.problems if problem.code == "E1365"]


def generate(folder: Path, *, renew: bool = False) -> list[Problem]:
    """One run; what it says of such files."""
    result = mcpgen.generate(output=folder, renew=renew)
    return [problem for problem in result.problems if problem.code == "E1365"]


def test_the_lock_keeps_the_hash_and_the_version_of_everything_written_once(tmp_path: Path) -> None:
    folder = project(tmp_path)
    once = lock_of(folder).once
    assert {"Makefile", ".gitignore", "src/corner_shop_mcp/hooks.py"} <= once.keys()
    for path, record in once.items():
        hash_ = text_hash((folder / path).read_bytes())
        assert record == Once(hash=hash_, generator=mcpgen.__version__)
    assert "mcpgen.toml" not in once
    own = [path for path in once if "/custom/" in path]
    assert own == ["src/corner_shop_mcp/custom/__init__.py"]
    assert notes(folder) == []
    assert list(template_differences(folder, Problems())) == []


def test_a_newer_template_is_a_note_in_generate_and_in_every_check_after_it(shop: Path) -> None:
    (note,) = generate(shop)
    assert "`Makefile` differently today; nobody edited it" in note.message
    assert note.severity == "note"
    assert (shop / "Makefile").read_text() == OLD
    assert [problem.message for problem in notes(shop)] == [note.message]


def test_one_word_renews_what_was_never_edited(shop: Path) -> None:
    assert generate(shop, renew=True) == []
    assert "pytest" in (shop / "Makefile").read_text()
    assert notes(shop) == []
    assert verify(shop) == []
    assert mcpgen.generate(output=shop, renew=True).changes.empty


def test_an_edited_file_is_shown_and_stays_and_is_then_not_mentioned_again(shop: Path) -> None:
    (shop / "Makefile").write_text(OLD + "mine:\n")
    (before,) = generate(shop)
    assert "`Makefile` differently today; you edited it" in before.message
    (note,) = generate(shop, renew=True)
    assert "it is yours and stays" in note.message and "take over by hand" in note.hint
    assert "--- yours/Makefile\n+++ today/Makefile\n" in note.detail
    assert "-mine:\n" in note.detail and "+test:" in note.detail
    assert (shop / "Makefile").read_text() == OLD + "mine:\n"
    assert notes(shop) == []
    assert generate(shop, renew=True) == []


def test_whoever_took_the_news_over_by_hand_hears_no_more_of_it(shop: Path) -> None:
    today = (project(shop.parent / "other") / "Makefile").read_text()
    (shop / "Makefile").write_text(today)
    assert generate(shop) == []
    assert notes(shop) == []
    known = Once(hash=text_hash(today), generator=mcpgen.__version__)
    assert lock_of(shop).once["Makefile"] == known


def test_a_lock_of_0_1_0_says_nothing_so_nothing_is_overwritten(shop: Path) -> None:
    remember(shop, "Makefile", None)
    (note,) = generate(shop)
    assert "`mcpgen.lock` does not say whether you edited it" in note.message
    assert lock_of(shop).once["Makefile"].hash == ""
    assert len(notes(shop)) == 1
    (note,) = generate(shop, renew=True)
    assert (shop / "Makefile").read_text() == OLD
    assert notes(shop) == []


def test_a_file_of_0_1_0_that_is_as_today_is_known_from_then_on(tmp_path: Path) -> None:
    folder = project(tmp_path)
    whole = lock_of(folder).once
    (folder / "mcpgen.lock").write_text(dump(replace(lock_of(folder), once={})))
    assert generate(folder) == []
    assert lock_of(folder).once == whole


def test_a_deleted_file_is_written_as_today(shop: Path) -> None:
    (shop / "Makefile").unlink()
    assert generate(shop) == []
    assert "pytest" in (shop / "Makefile").read_text()
    assert notes(shop) == []


def test_another_title_of_the_document_is_news_too(tmp_path: Path) -> None:
    folder = project(tmp_path)
    path = tmp_path / "shop.json"
    document = json.loads(path.read_text())
    document["info"]["title"] = "The Shop around the Corner"
    path.write_text(json.dumps(document))
    (note,) = generate(folder)
    assert "`README.md`" in note.message
    generate(folder, renew=True)
    assert "The Shop around the Corner" in (folder / "README.md").read_text()


def test_a_renewal_follows_no_link(shop: Path) -> None:
    elsewhere = shop.parent / "elsewhere"
    elsewhere.write_text(OLD)
    (shop / "Makefile").unlink()
    (shop / "Makefile").symlink_to(elsewhere)
    generate(shop, renew=True)
    assert elsewhere.read_text() == OLD and (shop / "Makefile").is_symlink()


def test_a_dry_run_renews_nothing(shop: Path) -> None:
    result = mcpgen.generate(output=shop, renew=True, dry_run=True)
    assert "Makefile" in result.changes.updated
    assert (shop / "Makefile").read_text() == OLD


def test_diff_shows_the_news_and_what_to_do(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(shop)
    assert mcpgen_command(["diff", "--templates"]) == 10
    output = capsys.readouterr().out
    assert output.startswith("--- yours/Makefile\n+++ today/Makefile\n")
    assert output.endswith("Makefile: `mcpgen generate --renew` writes it anew\n")
    assert mcpgen_command(["diff", "--templates", "--exit-zero"]) == 0
    assert mcpgen_command(["generate", "--renew", "--quiet"]) == 0
    assert mcpgen_command(["diff", "--templates"]) == 0
    assert mcpgen_command(["diff", "--templates", "other"]) == 2


def test_a_lock_whose_records_are_no_texts_says_so(shop: Path) -> None:
    lock = shop / "mcpgen.lock"
    for record, told in (("[1, 2]", "1 is not of type"), ("[]", "has less than 2 items")):
        text = re.sub(r'"Makefile": \[[^\]]*\]', f'"Makefile": {record}', lock.read_text())
        lock.write_text(text)
        with pytest.raises(mcpgen.McpgenError, match=told):
            check(shop, Problems())


def test_a_new_project_has_no_news_of_its_own_readme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert mcpgen_command(["new", "weather", "--yes", "--quiet", "--transport", "http"]) == 0
    monkeypatch.chdir(tmp_path / "weather")
    assert notes(Path()) == []
    assert generate(Path()) == []
    assert "next three steps" in Path("README.md").read_text()


@pytest.mark.parametrize("below", ["", "srv"])
def test_a_workflow_that_no_forge_runs_is_told(tmp_path: Path, below: str) -> None:
    repository = tmp_path / "repository"
    (repository / ".git").mkdir(parents=True)
    source = save(DOCUMENT, tmp_path / "shop.json")
    changes, _ = write_project(repository / below, source)
    assert len(changes.notes) == bool(below)
    assert all("working-directory: srv" in note for note in changes.notes)
