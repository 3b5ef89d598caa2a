"""An XML answer as JSON data. Only servers that ask for it have this module and its library."""

from __future__ import annotations

from typing import Any
from xml.parsers.expat import ExpatError

import xmltodict


def data_of_xml(content: bytes) -> Any:
    """Return XML as JSON data; None for no XML, or if it declares entities (XML 1.0 section 4.2).

    An element is an object of its children and attributes (`@id`), or its text; elements of the
    same name are a list. Every value is a text. Nothing is fetched and no entity is expanded.
    """
    try:
        return xmltodict.parse(content, disable_entities=True)
    except (ExpatError, ValueError, LookupError):
        return None
