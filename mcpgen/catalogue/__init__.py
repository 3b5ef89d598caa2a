"""An API as a model will see it, to look at: the data of the pages, and the pages as two files that
need no server.
"""
