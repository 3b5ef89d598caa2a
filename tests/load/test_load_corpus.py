"""Real documents load and upgrade. They stand beside the checkout and are no part of the
project.
"""

import time
from pathlib import Path

import pytest

from mcpgen.load import UnresolvedReference, load
from mcpgen.problems import Problems
from mcpgen.upgrade import upgrade
from mcpgen.upgrade.walk import walk

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
LIST = (
    "openapi/*", "swagger2/*", "directory/*", "oai_examples/v*/*.yaml",
    "oai_examples/v2.0/yaml/*.yaml", "multifile/*/*v2.yaml",
)  # fmt: skip
DOCUMENTS = sorted(path for pattern in LIST for path in CORPUS.glob(pattern) if path.is_file())

KNOWN_GAPS = {"square.json": "refers to a schema it does not have"}
"""Documents with references to nothing; an entry that is not needed fails."""

pytestmark = pytest.mark.skipif(
    not DOCUMENTS, reason="no real documents beside the checkout (../shared/corpus)"
)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_real_document_loads_and_upgrades(path: Path) -> None:
    problems = Problems()
    document = upgrade(load(path, problems=problems), problems)
    assert not problems.has_errors and document.root["openapi"] == "3.1.0"
    assert "swagger" not in document.root
    dangling = 0
    for kind, node, _ in walk(document):
        if type(node.get("$ref")) is str:
            try:
                document.resolve(node["$ref"])
            except UnresolvedReference:
                dangling += 1
        if kind == "schema":
            assert "nullable" not in node and type(node.get("exclusiveMinimum")) is not bool
            assert type(node.get("items")) is not list
    assert bool(dangling) == (path.name in KNOWN_GAPS)


def test_the_largest_takes_about_a_second() -> None:
    path = CORPUS / "openapi" / "github.json"
    if not path.exists():
        pytest.skip("no ../shared/corpus/openapi/github.json")
    problems = Problems()
    before = time.process_time()
    upgrade(load(path, problems=problems), problems)
    assert time.process_time() - before < 3


def test_a_document_in_a_folder_of_its_own_needs_permission_to_reach_further() -> None:
    path = CORPUS / "oai_examples/v2.0/yaml/petstore-separate/spec/swagger.yaml"
    if not path.exists():
        pytest.skip("no ../shared/corpus/oai_examples")
    problems = Problems()
    document = upgrade(load(path, problems=problems, folder=path.parents[1]), problems)
    schema = document.root["paths"]["/pets"]["get"]["responses"]["default"]["content"][
        "application/json"
    ]["schema"]
    assert "message" in document.deref(schema, "")[0]["properties"]
