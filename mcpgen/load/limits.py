"""Limits on the size of a document: far above any real one, far below what hurts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The bounds of one run. The largest real document seen has a sixth of the nodes and a third of
    the depth.
    """

    bytes: int = 25 * 1024 * 1024
    """Of every file, and of all the files of a document together."""
    depth: int = 100
    nodes: int = 2_000_000
    """After alias expansion, over all files."""
    alias_ratio: int = 10
    """Limit on the growth of a YAML file through aliases, as a multiple of its text."""
    alias_floor: int = 100_000
    """Nodes up to which the ratio does not matter: a small file cannot do harm."""
    integer_digits: int = 400
    files: int = 5_000
    """DigitalOcean's document has 1,300."""
    hops: int = 64
    """References that point at references, one after the other."""
    seconds: float = 60.0
    """For everything that is fetched from URLs, connecting and redirects included."""
