"""The HTTP side: one request to the API for one call of a tool."""
