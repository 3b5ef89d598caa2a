"""Arazzo documents → tools: workflows whose steps call the operations of the server.

`documents` reads the files, `expressions` and `conditions` their content, `compile` makes a
`model.Workflow` of each workflow, and `tools` the tools. `render.workflows` writes the Python.
"""
