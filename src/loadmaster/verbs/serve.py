"""`serve`: the workbench in the browser."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from loadmaster.verbs.option import Option, Options, called_with

if TYPE_CHECKING:
    from loadmaster.workbench.bench import Bench

PORT = 8421


@dataclass(frozen=True)
class ServeOptions(Options):
    """All that the workbench can be told."""

    folders: Annotated[
        "str | Path | Sequence[str | Path] | None",
        Option(
            "Folders of results, with all folders below; default: the current one.",
            metavar="DIR",
            argument=True,
            typed=list[Path] | None,
        ),
    ] = None
    _: KW_ONLY
    port: Annotated[int, Option("Port of the workbench; 0 takes a free port.", least=0, most=65535)] = PORT
    host: Annotated[
        str | None, Option("An address of this machine that others can reach; loopback if not given.", metavar="NAME")
    ] = None
    open: Annotated[bool, Option("Open it in the browser of this machine.", flags=("--open/--no-open",))] = False
    work: Annotated[
        "str | Path | None",
        Option("The one folder that is written into; default: the first DIR.", metavar="DIR", typed=Path | None),
    ] = None
    max_upload: Annotated[str, Option("Largest file that may be uploaded.", metavar="SIZE")] = "1GB"
    read_only: Annotated[bool, Option("Read only: no file is uploaded, no run is started or stopped.")] = False


def serve_with(options: ServeOptions) -> None:
    """Open the workbench in the browser, and serve it until Ctrl-C: results, what is under way, a first comparison.

    Args:
        options: what is served, and where.

    Raises:
        InputError: no such folder, one that cannot be written, or an address that cannot be had.
        MissingExtra: what it stands on is not installed.
        KeyboardInterrupt: Ctrl-C.
    """
    from loadmaster.report.console import for_notes, for_results

    bench = _bench(options)
    from loadmaster.workbench.server import listen, opening_page, serve  # which is known to be here now

    address = listen(options.host, options.port)
    said, notes = for_results(), for_notes()

    def ready(where: str) -> None:
        said.print(f"The workbench: {where}", soft_wrap=True, highlight=False, markup=False)
        if options.host is not None:
            notes.print("The connection is not encrypted; neither is the token.", style="yellow")
        notes.print("Ctrl-C ends the workbench. Anyone with this address can use all of it.")
        if options.open:
            import webbrowser

            webbrowser.open(opening_page(bench.places.own, where))

    def stopped(folders: Sequence[Path]) -> None:
        for folder in folders:
            notes.print(f"stopped, what is finished is kept: {folder}", soft_wrap=True, highlight=False, markup=False)

    serve(bench, address, ready, stopped)


def _bench(options: ServeOptions) -> "Bench":
    """The workbench that `options` request."""
    from loadmaster.model.errors import InputError, MissingExtra
    from loadmaster.model.units import parse_bytes
    from loadmaster.verbs.folder import make_folder

    try:
        from loadmaster.workbench.bench import Bench
        from loadmaster.workbench.served_folders import OWN, ServedFolders
        from loadmaster.workbench.server import load
        from loadmaster.workbench.token import token_in

        load()
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "loadmaster":
            raise
        raise MissingExtra("the workbench", "serve") from error
    given = options.folders
    named = [given] if isinstance(given, str | Path) else list(given or ["."])
    roots = [Path(name) for name in named]
    for root in roots:
        if not root.is_dir():
            raise InputError(root, "a file, not a folder" if root.exists() else "no such folder", fix="name folders")
    most = parse_bytes(options.max_upload)
    if most < 1:
        raise InputError(options.max_upload, "--max-upload must be more than zero", fix="such as 1GB")
    work = Path(options.work) if options.work is not None else roots[0]
    make_folder(work)
    whole = tuple(dict.fromkeys(root.resolve() for root in (*roots, work)))
    places = ServedFolders(whole, work.resolve())
    return Bench(places, token_in(places.work / OWN), most, options.read_only)


serve = called_with(ServeOptions, serve_with)
