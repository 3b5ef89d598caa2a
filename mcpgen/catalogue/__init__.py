"""An API as a model will see it, to look at: the model of the pages, and the two files that hold it
without a server.
"""
