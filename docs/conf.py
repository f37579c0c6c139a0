"""Sphinx configuration; also writes the pages that are read off the code, so that they cannot fall behind it."""

import re
import sys
from pathlib import Path

from sphinx import addnodes

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS.parent / "src"), str(DOCS)]

project = "loadmaster"
author = "the loadmaster developers"
copyright = "the loadmaster developers"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
default_role = "code"

html_theme = "furo"
html_title = "loadmaster"
html_show_sphinx = False
_SMALL = {"code-font-size": "0.76rem"}  # a table of the terminal fits the column
html_theme_options = {"light_css_variables": _SMALL, "dark_css_variables": _SMALL}

autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_custom_sections = ["Differs from the paper"]

WRITTEN = DOCS / "reference" / "generated"


def _write(name: str, lines: list[str]) -> None:
    text = "\n".join(lines) + "\n"
    page = WRITTEN / f"{name}.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    if not page.exists() or page.read_text() != text:
        page.write_text(text)


def _api() -> None:
    from api_pages import api_pages

    for name, lines in api_pages().items():
        _write(name, lines)


def _policies() -> None:
    from loadmaster.runs.kinds import KINDS

    lines = [
        "# Policies and disciplines",
        "",
        "This page lists all rules that the command line takes by name, as `loadmaster policies` does. It also lists "
        "constraints of jobs, estimates and formats of logs. A discipline is written ORDER+BACKFILLING. `max-jobs` "
        "runs several placement policies on the same snapshot in every cycle, and keeps the decision that starts most "
        "jobs.",
        "",
    ]
    for kind in KINDS:
        lines += [f"## {kind.name.capitalize()}", "", "| name | what it does | source |", "|---|---|---|"]
        lines += [f"| `{name}` | {summary} | {source or '—'} |" for name, summary, source in kind.rules] + [""]
    _write("policies", lines)


def _command_line() -> None:
    import typer.main

    from loadmaster.cli.app import app

    def pages(command, path):
        if hasattr(command, "commands"):
            return [line for name, sub in command.commands.items() for line in pages(sub, f"{path} {name}")]
        context = command.context_class(command, info_name=path)
        lines = [f"## {path}", "", (command.help or "").strip(), "", f"`{path} {_usage(command, context)}`", ""]
        rows = [parameter.get_help_record(context) for parameter in command.params if parameter.name != "help"]
        rows = [row for row in rows if row]
        lines += [
            "| option | |",
            "|---|---|",
            *(f"| `{_bars(name)}` | {_bars(said).replace('<', '&lt;')} |" for name, said in rows),
            "",
        ]
        return lines

    lines = [
        "# Command line",
        "",
        "Results go to stdout, progress and notes to stderr. Exit codes: 0 done; 1 the "
        "answer is no (infeasible, not the same); 2 bad input, with one line that names it.",
        "",
    ]
    _write("command-line", [*lines, *pages(typer.main.get_command(app), "loadmaster")])


def _live_options() -> None:
    from loadmaster.verbs.live import ENGINES
    from loadmaster.verbs.live_config import config_text

    lines = [
        "# Options of live in a file",
        "",
        "`loadmaster live ENGINE --config live.toml` takes options from a TOML file. An option of the command "
        "line overrides the same option of the file. The record and its page name the file, the options in "
        "force, and those that the command line overrides.",
        "",
        "A key is an option without its dashes. Paths count from the working folder. An unknown key, a value "
        "of another type, and an option that changes nothing end the run with one line and exit code 2. "
        "`--doctor` says whether a run with this file alone would begin. `--shadow`, `--dry-run`, `--doctor`, "
        "`--print`, `--probe`, `--watchdog` and `--uninstall` on the command line use the file of a run. With them, "
        "options of the file that change nothing are not refused.",
        "",
        "Nothing in the file is run, and no variable in it is expanded. Four things can be given on the command line "
        "only: a rule of your own (`file.py:function`), a file of commands, `--print`, and options such as `--doctor`. "
        "The file may name a `slurm.conf` or a kubeconfig. Slurm's commands and the Kubernetes client read these as "
        "usual, and run the plugins that they name.",
        "",
        "`--print config` prints the file of an engine, with the options of that line filled in:",
        "",
        "```sh",
        "loadmaster live slurm --policy mix-fit --interval 1min --print config > live.toml",
        "loadmaster live slurm --config live.toml --doctor",
        "```",
        "",
    ]
    for engine, known in ENGINES.items():
        lines += [f"## live {engine}", "", "```toml", config_text(known.options, {}).rstrip(), "```", ""]
    _write("live-options", lines)


def _json() -> None:
    from loadmaster.cli.app import VERBS
    from loadmaster.report.schemas import SCHEMAS

    lines = [
        "# JSON of every verb",
        "",
        "This page lists the keys of each verb's `--json` beside the [common keys](../json.md). It is made from the "
        "schemas in `loadmaster.report.schemas`.",
        "",
    ]
    for name in sorted({*VERBS, "placement"}):
        if name not in SCHEMAS:  # a verb that prints no document
            continue
        schema = SCHEMAS[name]
        run = SCHEMAS["head"]["$defs"]["run"]["properties"] if "allOf" in schema else {}
        keys = schema["properties"] | run
        rows = [line for key, part in keys.items() if key != "schema" for line in _keys(key, part)]
        lines += [f"## {name}", "", schema["title"] + ".", "", "| key | type | |", "|---|---|---|", *rows, ""]
    _write("json-verbs", lines)


def _keys(path: str, part: dict) -> list[str]:
    """The rows of a key and of what is in it."""
    kinds = part.get("type", "object or null" if "oneOf" in part else "")
    kind = " or ".join(kinds) if isinstance(kinds, list) else kinds
    inner = part["oneOf"][-1] if "oneOf" in part else part.get("items", {}) if kind.startswith("array") else part
    deeper = "[]" if kind.startswith("array") else ""
    rows = [f"| `{path}` | {kind} | {_bars(part.get('description', ''))} |"]
    for key, value in inner.get("properties", {}).items():
        rows += _keys(f"{path}{deeper}.{key}", value)
    return rows


def _usage(command, context) -> str:
    return " ".join(command.collect_usage_pieces(context))


def _bars(text: str) -> str:
    return text.replace("|", "\\|")


_SEVERAL = re.compile(r"^:(?:ivar|param) \w+(?:, \w+)+:")
"""Names that are told together; with a space between them Sphinx takes the first for the type of the second."""


def _plain(app, what, name, obj, options, lines) -> None:
    """Docstrings are plain text: bars and asterisks in formulas mean themselves."""
    lines[:] = [line.replace("|", r"\|").replace("*", r"\*") for line in lines]
    lines[:] = [_SEVERAL.sub(lambda found: found[0].replace(", ", ","), line) for line in lines]


def _skip(app, what, name, obj, skip, options) -> bool | None:
    """Fields of named tuples are told by their class; "Alias for field number 0" tells nothing."""
    return True if str(getattr(obj, "__doc__", "")).startswith("Alias for field number") else None


def _no_values(app, domain, objtype, content) -> None:
    """A table of policies is named, not printed."""
    if objtype == "data":
        for signature in content.parent.findall(addnodes.desc_signature):
            for note in list(signature.findall(addnodes.desc_annotation)):
                if note.astext().lstrip().startswith("="):
                    signature.remove(note)


def _no_links_of_fields(app, doctree) -> None:
    """A field in the list of a class is its own, whatever else bears its name."""
    for link in list(doctree.findall(addnodes.pending_xref)):
        name = next(iter(link.findall(addnodes.literal_strong)), None)
        if link.get("reftype") == "obj" and name is not None:
            link.replace_self(name)


def setup(app) -> None:
    app.connect("autodoc-process-docstring", _plain, priority=900)
    app.connect("autodoc-skip-member", _skip)
    app.connect("object-description-transform", _no_values)
    app.connect("doctree-read", _no_links_of_fields)
    from notebooks import write_pages

    for write in (_api, _policies, _command_line, _live_options, _json):
        write()
    write_pages(DOCS / "tutorial")
