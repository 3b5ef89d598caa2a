"""Finding tools: the index of a server whose list is searched instead of sent, and its ranking.

The index is made when the server is generated. A server that was generated with
`lazy = false` has neither this room nor the index.
"""
