"""The tools, a module and a contract for each toolset: `books.py` calls the API, `books.json` is
what a model sees. The arguments `fields` and `answer_part` in a contract are no function's: the
server reads them, to choose the fields and the part of an answer that a model gets.
"""
