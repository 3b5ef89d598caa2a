"""Scripts that a project's own Python runs; they import the project's package, nothing of the
generator.
"""
