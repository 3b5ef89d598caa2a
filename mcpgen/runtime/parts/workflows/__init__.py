"""What the functions of `tools/workflows.py` share. Servers without workflows do not have it."""
