"""The engines, a folder a family: each has a plain one, the specification, and compiled ones that agree with it."""
