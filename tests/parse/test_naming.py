"""Names of tools, toolsets, arguments and servers."""

import keyword
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgen.parse import naming
from mcpgen.parse.describe import spoken_verb
from mcpgen.parse.naming import Subject, argument_names, server_name, toolset_names
from mcpgen.parse.naming.tools import distinguishing_words

RULES = yaml.safe_load(Path(__file__).with_name("names.yaml").read_text("utf-8"))
TOOL = re.compile(r"[a-z][a-z0-9_]{0,49}")


def tool_names(
    operations: list[tuple[str, str, str | None]],
    server: str,
    pinned: Mapping[str, str] = MappingProxyType({}),
    reserved: Sequence[str] = (),
    **others: str,
) -> dict[str, str]:
    """The names of operations given as (method, path, operationId)."""
    subjects = [
        Subject(method=method, path=path, operation_id=operation_id, **others)
        for method, path, operation_id in operations
    ]
    return naming.tool_names(subjects, server, pinned, reserved)


@pytest.mark.parametrize(("operation_id", "name"), [
    ("listBooks", "list_books"), ("list-books", "list_books"),
    ("repos/list-for-org", "repos_list_for_org"), ("ListBooks.V2", "list_books_v2"),
    ("getHTTPStatus", "get_http_status"), ("1a", "call_1a"), ("class", "shop_class"),
    ("match", "shop_match"), ("print", "shop_print"), ("bash", "shop_bash"),
    ("read_file", "shop_read_file"), ("\uff45\uff56\uff41\uff4c", "shop_eval"),
    ("\U0001f4a5", "get_x"), ("\u0434\u0430\u043d\u043d\u044b\u0435", "dannye"),
    ("", "get_x"), ("-", "get_x"), ("book_id_" * 100_000, "get_x"),
])  # fmt: skip
def test_an_operation_id_becomes_a_snake_case_name(operation_id: str, name: str) -> None:
    assert tool_names([("GET", "/x", operation_id or None)], "shop") == {"GET /x": name}


@pytest.mark.parametrize("rule", RULES)
def test_an_operation_has_the_name_that_a_rule_makes(rule: str) -> None:
    named = [
        [*operation, tool_names([operation], "shop")[f"{operation[0]} {operation[1]}"]]
        for *operation, _ in RULES[rule]
    ]
    assert named == RULES[rule]


@pytest.mark.parametrize(("operation_id", "path", "toolset", "name"), [
    ("reposListRepositoryAuthenticatedConfigurationsOfEnterprise", "/enterprise/configurations",
     "repos", "list_repository_auth_configurations_enterprise"),
    ("dns-records-for-a-zone-create-dns-record-with-all-its-details",
     "/zones/{zone_id}/dns_records", "DNS Records for a Zone",
     "create_dns_record_with_all_its_details"),
    ("reversals-of-paymentPspReference-get-payment-and-more-words-about-amountUpdates",
     "/payments/{paymentPspReference}/amountUpdates", "",
     "reversals_psp_ref_get_payment_about_amount_updates"),
])  # fmt: skip
def test_a_long_name_keeps_its_verb_and_the_end_of_its_path(
    operation_id: str, path: str, toolset: str, name: str
) -> None:
    names = tool_names([("POST", path, operation_id)], "shop", toolset=toolset)
    assert names == {f"POST {path}": name}


def test_one_word_that_is_too_long_is_cut_and_carries_a_hash() -> None:
    (name,) = tool_names([("GET", "/x", "x" * 80)], "shop").values()
    assert re.fullmatch(r"x{43}_[0-9a-f]{6}", name)


KEY = "58d8bcb8a9e6240e200cff27"
EVENTS = "events/$count Get.Count.events"


@pytest.mark.parametrize(("operations", "names"), [
    (["GET /shops foo/list", "GET /books foo.list", "GET /c other"],
     "foo_list_shops foo_list_books other"),
    (["GET /books books", "DELETE /books books"], "list_books delete_books"),
    (["GET /team", "GET /team/{team}"], "get_team get_team_by_team"),
    (["GET /v1/books", "GET /v2/books"], "list_books_v1 list_books_v2"),
    (["GET /age age", "GET /age/ age_1"], "get_age get_age_1"),
    (["GET /{id}/status story_id_status_get", "POST /{id}/file story_id_file_post",
      "GET /{id}/file story_id_file_get"],
     "get_story_status create_story_file get_story_file"),
    (["GET /logs-socket/{app}", "GET /logs/logs-socket/{app}"],
     "get_logs_socket get_logs_socket_logs"),
    ([f"GET /near {KEY}", f"GET /v2/near {KEY}"], "get_near get_near_v2"),
    (["POST /k/make k.make", "POST /k/make/ k.make.make"], "k_make k_make_make"),
    ([f"GET /me/{EVENTS}-2c0f", f"GET /users/{{user-id}}/{EVENTS}-c0de"],
     "get_count_events_me get_count_events_users"),
    (["GET /rss get-feed", "GET /reports/{id} reports.get-2024-beef"],
     "get_feed reports_get_2024_beef"),
], ids=[
    "a word of the path", "the method", "a parameter", "the version", "a number at the end",
    "its verb", "a word said twice", "no key in a name", "its verb again", "words before a hash", "a year is no hash",
])  # fmt: skip
def test_names_that_clash_are_told_apart_by(operations: list[str], names: str) -> None:
    given = [(*operation.split(), None)[:3] for operation in operations]
    assert [*tool_names(given, "shop").values()] == names.split()  # type: ignore[arg-type]


@pytest.mark.parametrize(("paths", "names"), [
    ("/a-b /a_b", "get_a_b_dash get_a_b_underscore"), ("/x/{p}/.a /x{p}.a", "get_x_a_slash get_x_a_dot"),
    ("/tenants/{t}/alert /tenants/{t}/alerts", "get_tenant_alert list_tenant_alerts"),
])  # fmt: skip
def test_singular_plural_and_separators_tell_names_apart(paths: str, names: str) -> None:
    found = tool_names([("GET", path, None) for path in paths.split()], "shop")
    assert [*found.values()] == names.split()


def test_names_without_a_word_that_differs_all_carry_a_hash() -> None:
    names = tool_names([("GET", "/a b", None), ("GET", "/a+b", None)], "shop")
    assert all(re.fullmatch(r"get_a_b_[0-9a-f]{6}", name) for name in names.values())
    assert len(set(names.values())) == 2


@pytest.mark.parametrize(("operations", "names"), [
    (["PUT /a/{id} update_account", "PATCH /a/{id} patch_account"], "update_account patch_account"),
    (["PUT /books/{id} books_update", "PATCH /books/{id} books_partial_update"],
     "replace_book update_book"),
    ([f"GET /{word} shop.views.list_{word}" for word in "abc"], "list_a list_b list_c"),
    (["GET /a pets.list_a", "GET /pets pets.list_b", "GET /c pets.list_c"],
     "pets_list_a pets_list_b pets_list_c"),
    (["GET /shelf/{shelfId}/{bookId}", "GET /shelf/{shelfId}"], "get_shelf_book get_shelf"),
], ids=["of a PUT and a PATCH", "but not a route", "a module", "no resource", "two keys"])  # fmt: skip
def test_an_operation_has_the_name_that_its_author_gave_it(
    operations: list[str], names: str
) -> None:
    given = [(*operation.split(), None)[:3] for operation in operations]
    assert [*tool_names(given, "shop").values()] == names.split()  # type: ignore[arg-type]


@pytest.mark.parametrize(("method", "path", "sentence", "base", "name"), [
    ("GET", "/", "The boats", "", "get_boats"), ("GET", "/{id}", "", "/v2/boats", "get_boat"),
    ("GET", "/", "", "/v2/boats", "list_boats"), ("DELETE", "/{id}", "", "/boats/", "delete_boat"),
    ("DELETE", "/boat", "Bulk delete boats", "", "bulk_delete_boats"),
])  # fmt: skip
def test_the_server_and_the_summary_give_a_word_that_the_path_lacks(
    method: str, path: str, sentence: str, base: str, name: str
) -> None:
    subject = Subject(method=method, path=path, operation_id=None, sentence=sentence, base=base)
    subject = replace(subject, verb=spoken_verb(sentence))
    assert [*naming.tool_names([subject], "shop").values()] == [name]


def test_operations_of_the_same_method_and_path_words_get_a_word_of_their_summary() -> None:
    said = {"/jobs": "Get the list of all running jobs.", "/jobs/": "Get status of jobs."}
    one, two = (
        Subject(method="GET", path=path, operation_id=None, sentence=said[path]) for path in said
    )
    names = naming.tool_names([one, two], "shop").values()
    assert [*names] == ["list_jobs_running", "list_jobs_status"]


def test_a_name_keeps_another_of_its_words_before_it_gets_a_hash() -> None:
    path = "/sites/{site}/stores/{id}/groups/{id}/sets/{id}/children/{id}/relations/{id}/terms"
    other = ["get_site_relation_terms", "get_relation_terms_by_site"]
    names = tool_names([("GET", path, None)], "a" * 30, reserved=other)
    assert [*names.values()] == ["get_store_relation_terms"]


@pytest.mark.parametrize(("method", "path", "operation_id", "verb", "name"), [
    ("GET", "/listener", None, "list", "list_listener"),
    ("PUT", "/files/{id}#add_link", "put_files_id#add_link", "add", "add_link"),
    ("POST", "/oauth2/token#refresh", "post_oauth2_token#refresh", "refresh", "refresh_oauth2_token"),
    ("POST", "/absences", "PostLeaveByEmployment", "create", "post_leave_by_employment"),
])  # fmt: skip
def test_the_verb_of_the_document_is_that_of_the_name(
    method: str, path: str, operation_id: str | None, verb: str, name: str
) -> None:
    subject = Subject(method=method, path=path, operation_id=operation_id, verb=verb)
    assert naming.tool_names([subject], "shop") == {f"{method} {path}": name}


def calendar_operations() -> list[tuple[str, str, str | None]]:
    """The operations of an API that has its calendars under many others."""
    paths = []
    for owner in ("me", "users/{user-id}", "groups/{group-id}"):
        for calendar in ("calendar/", "calendarGroups/{group-id1}/calendars/{calendar-id}/", ""):
            for event in ("events/{event-id}", "calendarView/{event-id}"):
                for instance in ("instances", "exceptionOccurrences"):
                    above = f"/{owner}/{calendar}{event}/{instance}/{{id1}}"
                    paths += [above, f"{above}/instances/{{id2}}", f"/{owner}/{calendar}{event}"]
    operations: list[tuple[str, str, str | None]] = []
    for path in dict.fromkeys(paths):
        literals = [part for part in path.split("/")[1:] if not part.startswith("{")]
        for kind in ("multiValueExtendedProperties", "singleValueExtendedProperties"):
            name = ".".join([*literals, f"Create{kind[0].upper()}{kind[1:]}"])
            operations.append(("POST", f"{path}/{kind}", name))
    return operations


def test_operations_that_only_several_words_tell_apart_have_these_words() -> None:
    operations = calendar_operations()
    names = tool_names(operations, "graph")
    assert len(operations) == 180 and len({*names.values()}) == 180
    assert not [name for name in names.values() if re.search(r"_[0-9a-f]{6}$", name)]
    assert max(map(len, names.values())) <= 50


@pytest.mark.parametrize(("names", "telling"), [
    (["me events", "users events"], ["me", ""]), (["list all events", "list events"], ["all", ""]),
    (["groups calendars", "calendars", "me", "view"], ["groups", "calendars", "me", ""]),
    (["terms parent terms", "terms parent"], ["terms", ""]),
])  # fmt: skip
def test_the_fewest_words_that_tell_a_name_from_the_others(
    names: list[str], telling: list[str]
) -> None:
    words = distinguishing_words({name: [name.split()] for name in names})
    assert [" ".join(dict(words[name])) for name in names] == telling


def test_names_of_a_family_are_independent_of_order() -> None:
    operations = calendar_operations()
    names = tool_names(operations, "graph")
    random.Random(1).shuffle(operations)
    assert tool_names(operations, "graph") == names


def test_a_new_operation_of_a_family_takes_no_pinned_name() -> None:
    *operations, new = calendar_operations()
    pinned = tool_names(operations, "graph")
    names = tool_names([*operations, new], "graph", pinned)
    assert names.items() >= pinned.items() and len({*names.values()}) == len(operations) + 1


def test_a_pinned_name_is_kept_and_nothing_else_may_take_it() -> None:
    operations = [("GET", "/a", "renamed"), ("GET", "/b", "old_name")]
    names = tool_names([*operations], "shop", {"GET /a": "old_name"})
    assert names == {"GET /a": "old_name", "GET /b": "old_name_b"}


@settings(max_examples=300, derandomize=True, deadline=None)
@given(
    ids=st.lists(st.one_of(st.none(), st.text(max_size=80)), min_size=1, max_size=12),
    server=st.from_regex(r"[a-z][a-z0-9_]{0,15}", fullmatch=True),
    seed=st.integers(0, 1000),
)
def test_names_are_legal_unique_and_independent_of_order(
    ids: list[str | None], server: str, seed: int
) -> None:
    operations = [("GET", f"/p{index}", operation_id) for index, operation_id in enumerate(ids)]
    names = tool_names(operations, server)
    assert len(set(names.values())) == len(operations)
    assert all(TOOL.fullmatch(name) and not keyword.iskeyword(name) for name in names.values())
    assert all(len(f"mcp__{server}__{name}") <= 64 for name in names.values())
    random.Random(seed).shuffle(operations)
    assert tool_names(operations, server) == names


TITLES = {
    "a title becomes a short name": [
        ("Bookshop API", "", "bookshop"), ("GitHub v3 REST API", "", "github"),
        ("GitHub's official OpenAPI spec", "", "github"),
        ("Adyen Checkout API", "", "adyen_checkout"),
        ('../../x & calc " $(id) \r\n', "", "x_calc_id"), ("API", "", "api"),
        ("\U0001f4a5", "", "boom"), ("4chan", "", "api_4chan"), ("a" * 300, "", "a" * 16),
    ],
    "a long title that holds the domain gives the words of the host": [
        ("GitHub's spec + Octokit extension", "https://api.github.com", "github"),
        ("Adyen Checkout API", "https://checkout-test.adyen.com/v71", "adyen_checkout"),
        ("Xero Accounting API", "https://api.xero.com/api.xro/2.0", "xero_accounting"),
        ("U.S. EPA Enforcement and History", "https://echodata.epa.gov/echo", "epa"),
        ("Square Connect API", "https://connect.squareup.com", "square_connect"),
        ("Bookshop API", "https://10.0.0.1:8080", "bookshop"),
    ],
    "a title without a telling word leaves the name to the domain": [
        ("API Reference", "https://us.sentry.io", "sentry"),
        ("API Reference", "https://{region}.sentry.io", "sentry"),
        ("REST API", "https://api.shop-world.co.uk/v2", "shop_world"),
        ("API", "https://10.0.0.1:8080", "api"),
        ("API Reference", "http://localhost:8000", "api_reference"),
        ("API Reference", "", "api_reference"),
    ],
    "a title that says only what an API is for has its domain before it": [
        ("Management API", "https://management-test.adyen.com/v3", "adyen_management"),
        ("Service Management API", "https://servicemanagement.googleapis.com", "googleapis_mgmt"),
        ("Gateway", "https://dev.ndhm.gov.in/gateway", "ndhm_gateway"),
        ("Core API v2", "http://core.ac.uk/api-v2", "core"),
        ("", "https://api.ote-shop.com", "ote_shop"), ("Admin", "http://[", "admin"),
        ("Shop Admin API", "https://api.world.com", "shop_admin"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("rule", TITLES)
def test_a_server_has_the_name_that_a_rule_makes(rule: str) -> None:
    named = [(title, url, server_name(title, url)) for title, url, _ in TITLES[rule]]
    assert named == TITLES[rule]


def test_the_vendor_of_an_api_without_an_address_is_in_its_documents_links() -> None:
    pages = ["https://github.com/shop/api", "urn:tos", "https://www.shop.com/terms"]
    assert server_name("Management Webhooks", "", pages) == "shop_management"
    assert server_name("API", "", pages) == "shop" and server_name("API", "", pages[:2]) == "api"


def test_toolsets_are_module_names_of_their_own() -> None:
    names = toolset_names(["Pet store", "con", "class", "../x", "\U0001f4a5", "a" * 90])
    assert [*names.values()][:4] == ["pet_store", "con_tools", "class_tools", "x"]
    assert all(re.fullmatch(r"[a-z][a-z0-9_]{0,46}", name) for name in names.values())
    assert len(set(toolset_names(["Pet Store", "pet-store"]).values())) == 2


@pytest.mark.parametrize(("last", "name"), [
    ("o_auth", "o_auth"), ("", "oauth"), ("_oauth", "oauth"), ("shop", "oauth"),
])  # fmt: skip
def test_a_toolset_keeps_its_name_when_a_rule_about_words_changes(last: str, name: str) -> None:
    assert toolset_names(["OAuth"], {"OAuth": Counter({last: 3})}) == {"OAuth": name}


@pytest.mark.parametrize(("wire_name", "name"), [
    ("petId", "petId"), ("page-size", "page_size"), ("X-Request-ID", "x_request_id"),
    ("filter[eq]", "filter_eq"), ("$select", "select"), ("@type", "type"), ("uids[]", "uids"),
    ("from", "from_"), ("class", "class_"), ("api", "api_"), ("1st", "_1st"), ("_id", "_id"),
    ("__v", "v"), ("_", "argument_d2e2ad"),
])  # fmt: skip
def test_an_argument_keeps_its_wire_name_where_that_is_an_identifier(
    wire_name: str, name: str
) -> None:
    assert argument_names([("query", wire_name)]) == {("query", wire_name): name}


@pytest.mark.parametrize(("wanted", "names"), [
    ("path:id query:id body:id body:name", "id_path id_query id_body name"),
    ("query:maxItems query:MaxItems header:Etag query:etag", "maxItems MaxItems Etag etag"),
    ("body:_id body:id query:on query:on< query:on>", "_id id on on_lt on_gt"),
    ("body:@id body:id", "id_body id"), ("path:id body:id body:_id", "id_path id_body _id"),
])  # fmt: skip
def test_only_arguments_that_clash_are_renamed(wanted: str, names: str) -> None:
    places = [(place, name) for place, _, name in (each.partition(":") for each in wanted.split())]
    assert [argument_names(places)[place] for place in places] == names.split()


@settings(max_examples=300, derandomize=True, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["path", "query", "header", "cookie", "body"]),
            st.text(min_size=1, max_size=90),
        ),
        min_size=1,
        max_size=10,
    )
)
def test_argument_names_are_unique_identifiers(wanted: list[tuple[str, str]]) -> None:
    names = argument_names(wanted)
    assert len(set(names.values())) == len(set(wanted))
    assert all(name.isidentifier() and not keyword.iskeyword(name) for name in names.values())
    assert all(re.fullmatch(r"[a-zA-Z0-9_.-]{1,72}", name) for name in names.values())
