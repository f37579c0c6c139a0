"""All that the answers of one workbench share."""

from dataclasses import dataclass, field

from loadmaster.workbench.child_processes import Children
from loadmaster.workbench.command_queries import CommandQueries
from loadmaster.workbench.pages import Pages
from loadmaster.workbench.refusal import Refused
from loadmaster.workbench.results import FoundResult, Results
from loadmaster.workbench.served_folders import ServedFolders
from loadmaster.workbench.token import Token


@dataclass(frozen=True)
class Bench:
    """A workbench.

    Attributes:
        places: where it looks and writes.
        token: that opens it.
        max_upload: bytes of one upload.
        read_only: nothing is uploaded, started or stopped.
    """

    places: ServedFolders
    token: Token
    max_upload: int
    read_only: bool = False
    children: Children = field(default_factory=Children)
    queries: CommandQueries = field(default_factory=CommandQueries)
    results: Results = field(init=False)
    pages: Pages = field(init=False)

    def __post_init__(self) -> None:
        """Make what finds results and pages."""
        object.__setattr__(self, "results", Results(self.places))
        object.__setattr__(self, "pages", Pages(self.places, self.queries))

    def found(self, at: str) -> FoundResult:
        """The result in the folder that `at` stands for.

        Raises:
            Refused: there is none.
        """
        result = self.results.in_folder(self.places.folder(at))
        if result is None:
            raise Refused(404, "there is no result in this folder")
        return result

    def may_write(self) -> None:
        """See that anything may be changed.

        Raises:
            Refused: only looking is allowed.
        """
        if self.read_only:
            raise Refused(403, "this workbench was started with --read-only")
