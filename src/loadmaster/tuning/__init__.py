"""A search for a better rule: candidates as a user would write them, judged on many logs, measured on held-out weeks.

The rules are numbered in docs/rules/tuning.md.
"""
