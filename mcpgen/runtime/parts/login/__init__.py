"""The commands `login` and `logout`: tokens for a person at a machine, kept in its keyring."""
