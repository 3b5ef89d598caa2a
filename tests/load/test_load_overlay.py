"""Overlays: changes to a document kept in a file of their own (OpenAPI Overlay 1.0 and 1.1)."""

from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from mcpgen.problems import McpgenError

from .conftest import Write, loaded, refused

Act = Callable[..., Any]

DOCUMENT = """\
openapi: 3.1.0
info: {title: T, version: '1'}
tags:
  - name: a
  - name: b
  - name: c
paths:
  /books:
    get: {operationId: list, tags: [a], parameters: [{name: q, in: query}, {name: r, in: query}]}
    post: {operationId: add, tags: [b]}
  /shops:
    get: {operationId: shops, x-internal: true}
"""


@pytest.fixture
def overlaid(write: Write) -> Act:
    """The document after overlays given by their actions, and the problems found."""

    def act(*actions: str, version: str = "1.0.0") -> Any:
        path = write("openapi.yaml", DOCUMENT)
        head = f"overlay: {version}\ninfo: {{title: O, version: '1'}}\nactions:\n"
        overlays = [write(f"o{number}.yaml", head + text) for number, text in enumerate(actions)]
        return loaded(path, overlays=overlays)

    return act


NESTED = ("$..*..*", "$.paths..*", "$.paths.* | $.paths.*.*")


@pytest.mark.parametrize(("actions", "key", "becomes"), [
    (["- {target: $.info, update: {title: New, contact: {name: me}}}\n"], "info",
     {"title": "New", "version": "1", "contact": {"name": "me"}}),
    (["- {target: $.tags, update: {name: d}}\n"], "tags", [{"name": letter} for letter in "abcd"]),
    (["- {target: $.tags, update: [{name: d}]}\n"], "tags", [{"name": letter} for letter in "abcd"]),
    (["- {target: $, update: {info: {title: {a: 1}}}}\n", "- {target: $, update: {info: {title: {b: 2}}}}\n"],
     "info", {"title": {"a": 1, "b": 2}, "version": "1"}),
    (["- {target: \"$.tags[?@.name != 'b']\", remove: true}\n"], "tags", [{"name": "b"}]),
    (["- {target: '$.tags[2, 0]', remove: true}\n"], "tags", [{"name": "b"}]),
    (["- {target: $.info, update: {title: One}}\n", "- {target: $.info, update: {title: Two}}\n"],
     "info", {"title": "Two", "version": "1"}),
    *(([f"- {{target: '{target}', update: 1}}\n"], "paths", {"/books": 1, "/shops": 1})
      for target in NESTED),
    *(([f"- {{target: '{target}', remove: true}}\n"], "paths", {}) for target in NESTED),
])  # fmt: skip
def test_actions_change_what_they_are_for(
    overlaid: Act, actions: list[str], key: str, becomes: Any
) -> None:
    document, problems = overlaid(*actions)
    assert document.root[key] == becomes and problems == []


def test_a_target_may_be_in_several_places(overlaid: Act) -> None:
    document = overlaid("- {target: '$.paths.*.get', update: {tags: [new]}}\n")[0]
    gets = [item["get"] for item in document.root["paths"].values()]
    assert [each["tags"] for each in gets] == [["a", "new"], ["new"]]
    document = overlaid("- {target: '$.paths[\"/shops\"]', remove: true}\n")[0]
    assert list(document.root["paths"]) == ["/books"]


def test_patterns_of_filters_run_in_linear_time(write: Write) -> None:
    text = DOCUMENT.replace("title: T", f"title: {'a' * 40}!")
    target = '$..[?search(@.title, "(a+)+$") || match(@.title, "(a|a)*!")]'
    overlay = write("o.yaml", f"overlay: 1.0.0\nactions:\n- {{target: '{target}', remove: true}}\n")
    started = process_time()
    document, problems = loaded(write("x.yaml", text), overlays=[overlay])
    assert process_time() - started < 5 and "info" not in document.root and problems == []


@pytest.mark.parametrize(
    "target", ["$" + "..*" * 12 + ".x", "$[?@" + "..*" * 12 + "]", "$..[?$..[?$..[?$..[?$..x]]]]"]
)
def test_a_target_that_takes_too_long_is_an_error(
    write: Write, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    monkeypatch.setattr("mcpgen.load.overlay._SECONDS", 0.2)
    deep = "- " * 60 + "a"
    overlay = write("o.yaml", f"overlay: 1.0.0\nactions:\n- {{target: '{target}', update: {{}}}}\n")
    refusal = refused(write("x.yaml", f"{DOCUMENT}x-deep:\n  {deep}\n"), overlays=[overlay])
    assert "it takes too long" in refusal.text


def test_copy_is_an_action_of_1_1(overlaid: Act) -> None:
    copy = "- {target: '$.paths[\"/shops\"].get', copy: '$.paths[\"/books\"].get'}\n"
    document = overlaid(copy, version="1.1.0")[0]
    assert document.root["paths"]["/shops"]["get"]["operationId"] == "list"
    document, problems = overlaid(copy)
    assert document.root["paths"]["/shops"]["get"]["operationId"] == "shops"
    assert [problem.code for problem in problems] == ["E0124"]
    for source, said in (("$.nothing", "nothing"), ("$.paths.*", "2 places"), ("[]", "nothing")):
        with pytest.raises(McpgenError, match=f"must match one place, but it matches {said}"):
            overlaid(f"- {{target: $.info, copy: {source}}}\n", version="1.1.0")


def test_a_target_that_matches_nothing_is_a_warning_in_the_overlay(overlaid: Act) -> None:
    document, problems = overlaid(
        "- target: $.info\n  update: {title: X}\n- target: $.Info\n  update: {title: Y}\n"
    )
    assert document.root["info"]["title"] == "X"
    assert [(problem.code, problem.severity) for problem in problems] == [("E0124", "warning")]
    place = document.place(problems[0].pointer)
    assert (Path(place.file).name, place.line) == ("o0.yaml", 6)
    assert [number for number, _ in place.excerpt] == [5, 6, 7]


def test_what_an_overlay_wrote_is_shown_there(overlaid: Act) -> None:
    document = overlaid(
        "- target: $.info\n  update:\n    title: X\n- {target: '$.tags[0]', remove: true}\n"
    )[0]
    assert (Path(document.place("/info/title").file).name, document.place("/info/title").line) == (
        "o0.yaml",
        6,
    )
    assert document.place("/info/version").line == 2 and document.place("/tags/0/name").line == 5
    assert document.place("/tags/1/name").line == 6
    document = overlaid("- target: $\n  update:\n    tags: [{name: new}]\n")[0]
    last = document.place(f"/tags/{len(document.root['tags']) - 1}/name")
    assert (Path(last.file).name, last.line) == ("o0.yaml", 6)


@pytest.mark.parametrize(("text", "said"), [
    ("- {target: '$..[', update: {}}\n", "`$..[` cannot be used as a JSONPath"),
    (f"- {{target: '$.{'a' * 99}[', update: {{}}}}\n", f"`$.{'a' * 78}` cannot be used"),
    ("- {target: '$.tags[?@.name =~ /a/]', remove: true}\n", "use `match()` or `search()`"),
    ("- {target: '$.tags[?match(@.name, \"(?=a)\")]', remove: true}\n", "is not a"),
    ("- {update: {}}\n", "needs a `target`"), ("- text\n", "needs a `target`"),
    ("- {target: $, remove: true}\n", "cannot be removed"),
    ("- {target: $, update: [1]}\n", "only be merged with an object"),
])  # fmt: skip
def test_a_wrong_action_is_an_error_with_its_place(write: Write, text: str, said: str) -> None:
    overlay = write("o.yaml", f"overlay: 1.0.0\nactions:\n{text}")
    refusal = refused(write("x.yaml", DOCUMENT), overlays=[overlay])
    assert said in refusal.text and refusal.where[0] >= 1 and refusal.codes == ["E0123"]


@pytest.mark.parametrize(("text", "said", "line"), [
    (DOCUMENT, "not an overlay", 1), ("info: {}\noverlay: 2.0.0\n", "supported: 1.0.0", 2),
    ("overlay: 1.0.0\n", "must be a list", 1),
])  # fmt: skip
def test_what_is_no_overlay_is_an_error(write: Write, text: str, said: str, line: int) -> None:
    refusal = refused(write("x.yaml", DOCUMENT), overlays=[write("o.yaml", text)])
    assert said in refusal.text and refusal.where[0] == line


def test_an_overlay_cannot_bring_in_other_hosts(write: Write) -> None:
    overlay = write(
        "o.yaml",
        "overlay: 1.0.0\nactions: [{target: $.paths, update: {/a: {$ref: 'ftp://h/x'}}}]\n",
    )
    assert refused(write("x.yaml", DOCUMENT), overlays=[overlay]).exit_code == 3


@pytest.mark.parametrize("growing", [
    "- {target: $.info, copy: $}\n" * 30,
    "- {target: $.info, update: {x: {a: [1, 2]}}}\n" + "- {target: '$.info.x..*', update: {b: {c: {}, d: {}}}}\n" * 30,
    "- {target: $.tags, copy: $.tags}\n" * 30,
    "- {target: $.info, update: {x: {}}}\n" + "- {target: $.info.x, copy: $.info}\n" * 120,
])  # fmt: skip
def test_an_overlay_that_grows_with_each_action_is_refused(overlaid: Act, growing: str) -> None:
    with pytest.raises(McpgenError) as refusal:
        overlaid(growing, version="1.1.0")
    [problem] = refusal.value.problems
    assert problem.code == "E0123"
    assert "values" in problem.message or "levels" in problem.message


def test_moving_the_items_of_a_long_list_is_bounded(write: Write) -> None:
    items = "\n".join(f"  - {number}" for number in range(4_000))
    document = write("openapi.yaml", f"{DOCUMENT}x-items:\n{items}\n")
    action = "overlay: 1.0.0\nactions: [{target: '$.x-items[0:2000]', remove: true}]\n"
    assert refused(document, overlays=[write("o.yaml", action)]).codes == ["E0123"]
