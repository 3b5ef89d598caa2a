"""What the conformance suite is run against: a document, the API behind it, and what is not about
tools.
"""
