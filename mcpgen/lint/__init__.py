"""Checks of a document and of a tool list that generating does not need: its structure,
hidden text, the limits of clients, and repairs.
"""
