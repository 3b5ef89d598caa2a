"""Tables of facts that the generator and the server both read; they import nothing of ours."""
