"""The one fixture that no single HTTP answer can be: the user's half of the package puts it
together.

The judge copies this file into `custom/` of the generated package.
"""

from __future__ import annotations

from .. import Api, Image, Resource, Text
from ..tools import general


async def test_multiple_content_types(api: Api) -> list[object]:
    """A text and an image from the API, and a resource."""
    text = await general.test_multiple_content_types(api)
    image = await general.test_image_content(api)
    resource = Resource(
        "test://mixed-content-resource", '{"test":"data","value":123}', "application/json"
    )
    return [Text(str(text.text)), Image(image.content, "image/png"), resource]
