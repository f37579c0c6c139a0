"""Units of amounts and of times: read from words, written for people."""

import math
import re

from loadmaster.model.errors import InputError

CORES = "cores"
MEMORY = "memory"
GPUS = "gpus"

UNITS = {CORES: "cores", MEMORY: "bytes", GPUS: "GPUs"}
"""The unit in which each well-known resource is counted. Other resources are counted as given."""

KB = 1024
MB = 1024**2
GB = 1024**3
TB = 1024**4

LATEST_S = 2.0**53 / 1000
"""Some 285,000 years: up to here a float64 tells milliseconds apart."""
UNLIMITED_S = 365 * 86400.0
"""The expected runtime of a job without a limit, if the engine's own scheduler counts on that."""
SHORTEST_S = 0.001
"""A log that arrives within less has one moment of arrival, whatever its load is said to be."""

_BYTES = {"": 1, "k": KB, "m": MB, "g": GB, "t": TB, "p": 1024**5}
_SECONDS = {"": 1.0, "s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}


def parse_bytes(text: str) -> int:
    """Bytes in `text`, such as `64GiB`, `512M` or `1024`; powers of 1024 throughout.

    Raises:
        InputError: `text` is no amount of memory.

    Example:
        >>> parse_bytes("64GiB") == 64 * GB
        True
    """
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgtp]?)(?:i?b)?\s*", text, re.IGNORECASE)
    if match is None:
        raise InputError(text, "not an amount of memory", fix="write it like 64GiB, 512M or 1024")
    return round(float(match[1]) * _BYTES[match[2].lower()])


def parse_seconds(text: str) -> float:
    """Seconds in `text`, such as `30`, `30s`, `5min`, `2h` or `7d`.

    Raises:
        InputError: `text` is no duration.

    Example:
        >>> parse_seconds("1.5h")
        5400.0
    """
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(s|min|m|h|d|w)?\s*", text)
    if match is None:
        raise InputError(text, "not a duration", fix="write it like 30, 30s, 5min, 2h or 7d")
    return float(match[1]) * _SECONDS[match[2] or ""]


def show_bytes(amount: float) -> str:
    """`amount` bytes in the largest binary unit that keeps it at 1 or above.

    Example:
        >>> show_bytes(64 * GB), show_bytes(1536)
        ('64 GiB', '1.5 KiB')
    """
    value = float(amount)
    for unit in ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"):
        if abs(value) < 1024 or unit == "EiB":
            break
        value /= 1024
    return f"{value:.4g} {unit}"


def show_seconds(seconds: float) -> str:
    """`seconds` in the unit a person would use.

    Example:
        >>> show_seconds(42), show_seconds(5400), show_seconds(200000), show_seconds(1e8)
        ('42 s', '1.5 h', '2.31 d', '1,157 d')
    """
    for unit, size in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if abs(seconds) >= size:
            value = seconds / size
            return f"{value:,.0f} {unit}" if abs(value) >= 1000 else f"{value:.3g} {unit}"
    return f"{seconds:.3g} s"


def show_alike(one_s: float, other_s: float) -> tuple[str, str]:
    """Two times to be compared, in one unit; each in its own where one unit would not do for both.

    Example:
        >>> show_alike(35172, 92520), show_alike(2616, 7812), show_alike(64281, 302400), show_alike(5, 260000)
        (('9.77 h', '25.7 h'), ('43.6 min', '130 min'), ('17.9 h', '84 h'), ('5 s', '3.01 d'))
    """
    own = show_seconds(one_s), show_seconds(other_s)
    most, least = max(one_s, other_s), min(one_s, other_s)
    if own[0].split()[1] == own[1].split()[1]:
        return own
    for unit, size in (("d", 86400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0)):
        if most >= 3 * size and least >= size:
            one, other = (f"{value / size:.3g} {unit}" for value in (one_s, other_s))
            return (one, other) if most < 1000 * size else own
    return own


def percent(part: float, digits: int | None = None) -> str:
    """A part in percent: as many digits as requested, or whole with one digit where it is small.

    Example:
        >>> percent(0.2234), percent(0.034), percent(0.2234, 1)
        ('22 %', '3.4 %', '22.3 %')
    """
    if digits is None:
        digits = 0 if abs(part) >= 0.0995 else 1
    return f"{part * 100:.{digits}f} %"


def signed(part: float) -> str:
    """A change in percent with its sign.

    Example:
        >>> signed(-0.041), signed(0.5), signed(0.0), signed(120.0)
        ('−4.1 %', '+50 %', '±0.0 %', '+12000 %')
    """
    if not math.isfinite(part):
        return "+∞" if part > 0 else "?"
    sign = "+" if part > 0 else "−" if part < 0 else "±"
    return sign + percent(abs(part))
