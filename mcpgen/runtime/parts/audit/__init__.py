"""The audit: a line for every call that can change something."""
