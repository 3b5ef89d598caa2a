"""A project on disk: a run, the check of a project against its document, the user's code, and new
projects.
"""
