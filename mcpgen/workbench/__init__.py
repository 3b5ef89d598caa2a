"""The workbench: pages on loopback to look at an API as a model will, to choose, edit, try and keep
its tools.
"""
