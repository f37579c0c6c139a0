"""The verbs, one file for each: its options, its work, its result.

Python (`loadmaster.compare`) and the command line (`loadmaster compare`) call the same work with the same options. The
room stands above all that does the work, and below the command line, which parses and prints. What a module here
imports at its top is imported by `loadmaster --help` as well, so heavy imports stand within functions.
"""
