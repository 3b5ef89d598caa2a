"""The version of mcpgen, which a lock and every generated file name."""

__version__ = "0.2.0"
