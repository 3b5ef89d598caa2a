"""A project on disk: a run, the check of a project against its document, the owner's code, and new
projects.
"""
