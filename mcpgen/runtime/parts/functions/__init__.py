"""Tools made of typed functions. A server has this room only if `custom/` holds a `@tool`."""
