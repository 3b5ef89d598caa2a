"""Comparing two servers: changes for callers, their schemas, and changes that need consent."""
