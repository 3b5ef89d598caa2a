"""A script that the Python of a web app runs; it imports nothing of the generator's."""
