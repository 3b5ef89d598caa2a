"""Evaluation of a server: an agent does tasks, done if the right request arrives at the API.

`tasks` reads the tasks and holds the outcomes, `stage` starts a project's server, `scripted` is an
agent without a model, `model` is one with a model.
"""
