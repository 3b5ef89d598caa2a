"""What there is to say of a document: problems with their places, and what their codes mean."""
