"""Code mode: a program of the model's, run in a sandbox over the tools of the server.

A server that was generated without `code = true` does not have this room.
"""
