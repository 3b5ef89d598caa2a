"""The arguments of a call, checked before anything is sent."""
