"""Conversion of a tool function's return value to a result that a model can read."""
