"""What a tool's function returned, as a result a model can read."""
