"""The schemas of JSON Schema itself, which documents refer to by their well-known addresses."""

from __future__ import annotations

import copy
from typing import Any

from .values import objects_in


def meta_schema(uri: str) -> Any:
    """A copy of the meta-schema, or the vocabulary of one, that has an address; None for any other.

    A dynamic reference in it means the meta-schema as a whole.
    """
    if "json-schema.org/" not in uri:
        return None
    # Few documents need it, and it has no type hints.
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

    if uri not in REGISTRY:
        return None
    tree = copy.deepcopy(REGISTRY.contents(uri))
    whole = uri
    if "/meta/" in uri:
        whole = uri.partition("/meta/")[0] + "/schema"
    _replace_dynamic(tree, whole)
    return tree


def _replace_dynamic(node: Any, whole: str) -> None:
    for schema in objects_in(node):
        for keyword in ("$dynamicRef", "$recursiveRef"):
            if isinstance(schema.get(keyword), str):
                del schema[keyword]
                schema["$ref"] = whole
