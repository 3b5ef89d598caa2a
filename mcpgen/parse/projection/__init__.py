"""JSON Schema of the document → JSON Schema as clients take it (the portable profile).

References are inlined, `allOf` is merged, null is taken out of types (and remembered by pointer),
keys that clients refuse get a safe name (the wire name is remembered by pointer), and keywords
outside an allow-list are dropped. What does not fit the detail asked for is cut in one way only:
**optional properties of deep objects are left out, required ones stay, the object stays open and
its description names what else it takes.** So whatever the projection accepts can still become a
valid request, and whatever the document accepts can still be said.

`run` walks a schema; `scalars`, `containers` and `unions` project one kind of value each; `notes`
writes the descriptions.
"""

from __future__ import annotations

from .keys import KEY, in_order
from .run import Projection, project
from .scalars import is_base64

__all__ = ["KEY", "Projection", "in_order", "is_base64", "project"]
