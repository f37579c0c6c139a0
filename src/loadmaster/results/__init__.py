"""What is never computed twice: a stamp of the source that makes a result, keys, the store, the runner of studies.

It stands below all that keeps results, and knows none of them.
"""
