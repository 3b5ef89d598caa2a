"""Projects that run: calls, and serving while files change."""
