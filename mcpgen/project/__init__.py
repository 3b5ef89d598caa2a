"""A project on disk: one run for it, the check that it is up to date, its owner's code, and new
projects.
"""
