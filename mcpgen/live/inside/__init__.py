"""Scripts that a project's own Python runs; they import the project's package, and nothing of the
generator's.
"""
