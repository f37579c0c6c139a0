"""The workbench in the browser: folders of results, runs in progress, a first comparison of the user's own log.

It has no state but folders. Results are read from what verbs have written; whatever takes work (a page, an explanation,
a comparison) is done by a child process, the same command that a user would type.
"""
