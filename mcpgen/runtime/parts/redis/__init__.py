"""Limits that all replicas share, counted in Redis."""
