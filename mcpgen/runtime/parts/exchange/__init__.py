"""Token exchange: calls to the API on behalf of each caller (RFC 8693)."""
