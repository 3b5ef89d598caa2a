"""JSON Schema of the document → JSON Schema as clients take it (the portable profile).

References are inlined, `allOf` is merged, null is taken out of types, keys that clients refuse get
a safe name (both are remembered by pointer), and keywords outside an allow-list are dropped.

`reading` reads a schema into a `node`, with `scalars` and `unions`. `listing` chooses what a tool
lists within its budget, a `place` is one schema as listed, and `texts` words it. `whole` is the
full schema, for the check of calls. A listed schema accepts every value that the full schema
accepts.
"""

from __future__ import annotations

from .listing import Listing
from .node import KEY, Node, in_order
from .place import Place, Projection, Words, projection, size_of
from .reading import Nodes
from .scalars import is_base64, is_raw, is_text_type
from .texts import ENCODE, FILES
from .whole import Whole

__all__ = [
    "ENCODE",
    "FILES",
    "KEY",
    "Listing",
    "Node",
    "Nodes",
    "Place",
    "Projection",
    "Whole",
    "Words",
    "in_order",
    "is_base64",
    "is_raw",
    "is_text_type",
    "projection",
    "size_of",
]
