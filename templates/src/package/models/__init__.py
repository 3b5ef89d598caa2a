"""Types of arguments and answers, a module for each toolset. Only type checkers read them."""
