"""Lets `python -m loadmaster` do what the `loadmaster` command does."""

from loadmaster.cli import main

main()
