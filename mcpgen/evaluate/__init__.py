"""Whether an agent gets a task done with a server: the request that arrives at the API judges.

`tasks` reads the tasks and holds the outcomes, `stage` starts a project's server against it,
`scripted` is an agent without a model, `model` is one with a model.
"""
