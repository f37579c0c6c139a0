"""Options that several verbs share beside those of their dataclasses, written once."""

from typing import Annotated

import typer

Trust = Annotated[bool, typer.Option("--trust", help="Run the Python of a policy file in the record; read it first.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
