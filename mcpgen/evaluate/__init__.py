"""Whether an agent gets a task done with a server: the request that arrives at the API judges.

`tasks` reads the tasks, `recorder` is the API, `stage` starts a project's server against it,
`scripted` is an agent without a model, `model` is one with a model.
"""
