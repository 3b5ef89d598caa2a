"""Reports on a document: problems with their places, and the meanings of their codes."""
