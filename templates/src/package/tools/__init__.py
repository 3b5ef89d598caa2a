"""The tools, a module and a contract for each toolset: `books.py` calls the API, `books.json` is
what a model sees.
"""
