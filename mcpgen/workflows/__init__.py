"""Arazzo documents → tools: workflows whose steps call the operations of the server.

`documents` reads the files, `expressions` and `conditions` what stands in them, `compile` makes a
`model.Workflow` of each workflow, and `tools` the tools. `render.workflows` writes the Python.
"""
