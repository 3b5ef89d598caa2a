"""Judges: programs that measure what mcpgen makes, by rules it does not share and validators it did
not write.

`corpus` judges what a model sees, over a folder of documents; `referee` what an API receives;
`conformance` what a client gets. `node` sets up what they need, in a cache folder of the user's.
"""
