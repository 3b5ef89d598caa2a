"""The runtime of every generated server: the same bytes in every project.

`mcpgen` copies this package to `src/<package>/runtime/`. It imports nothing of the project
around it: the server's package is given to it by name (`Package.named`). `hooks.py`,
`auth.py` and `custom/` import the public face of that package, never a module in here.
"""
