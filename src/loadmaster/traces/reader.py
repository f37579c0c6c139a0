"""Read a log of any known format."""

from pathlib import Path

from loadmaster.traces.options import ReadOptions
from loadmaster.traces.swf import read_swf
from loadmaster.traces.trace import Trace


def read_trace(path: str | Path, options: ReadOptions = ReadOptions()) -> Trace:
    """The jobs of the log at `path`, in the order of their arrival, the first at 0.

    Raises:
        InputError: the file cannot be read, holds no job, or (`options.strict`) has a bad line.
    """
    return read_swf(Path(path))
