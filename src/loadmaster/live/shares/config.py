"""The settings of a run of commands under CPU shares."""

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from loadmaster.live.shares.method import ShareMethod


@dataclass(frozen=True)
class SharesConfig:
    """How commands are to be run.

    Attributes:
        folder: of the record and the output.
        method: that decides, and the least share that it was made with.
        least_yield: see `method`.
        interval_s: between two looks.
        on_exit: what becomes of commands that still run at the end: they are ended, or left to run without a cap.
        for_s: end after so long.
        about: what else the record is to say.
    """

    folder: Path
    method: ShareMethod
    least_yield: float = 0.0
    interval_s: float = 0.2
    on_exit: Literal["end", "leave"] = "end"
    for_s: float = math.inf
    about: dict[str, Any] = field(default_factory=dict)
