"""Benchmarks: ratios in one run, because seconds depend on the machine."""
