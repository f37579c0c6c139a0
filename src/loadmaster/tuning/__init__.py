"""A search for a better rule: candidates written as a user would write them, judged on many logs, told on unseen weeks.

The rules are numbered in docs/rules/tuning.md.
"""
