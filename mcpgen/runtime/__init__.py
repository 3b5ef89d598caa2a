"""Runtime of a generated server: each module has the same bytes in every project.

`mcpgen` copies this package to `src/<package>/runtime/`. If a text names a module or an option that
is not here, it belongs to a part that this server does without. The package imports nothing of the
project around it: the server's package is given to it by name (`Package.named`). `hooks.py`,
`auth.py` and `custom/` import the public face of that package, never a module in here.
"""
