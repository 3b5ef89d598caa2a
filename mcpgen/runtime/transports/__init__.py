"""stdio and Streamable HTTP."""
