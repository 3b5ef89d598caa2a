"""Comparing two servers: what changes for callers, their schemas, and what needs consent."""
