"""What of a host a job takes at a site: processors, or all of it; with memory counted or not (rule L4)."""

from dataclasses import dataclass

from loadmaster.site.fields import Fields, names, one_of

_TYPES = {
    f"{prefix}{name}": kind
    for prefix in ("select/", "")
    for name, kind in (("linear", "linear"), ("cons_res", "cons"), ("cons_tres", "cons"))
}
_COUNTED = ("cr_cpu", "cr_core", "cr_socket")


@dataclass(frozen=True)
class Selection:
    """SelectType and SelectTypeParameters.

    Attributes:
        whole_hosts: select/linear.
        memory: memory is counted (CR_..._Memory).
        least_loaded: CR_LLN.
        unit: what is handed out: `cpu`, `core` or `socket`.
        ignored: parameters not modelled.
        said: the configuration has a SelectType.
    """

    whole_hosts: bool = True
    memory: bool = False
    least_loaded: bool = False
    unit: str = "core"
    ignored: tuple[str, ...] = ()
    said: bool = False


def read_selection(fields: Fields) -> Selection:
    """How hosts are handed out.

    Raises:
        InputError: an unknown SelectType.
    """
    kind = fields.read("SelectType", lambda pair: one_of(pair, _TYPES), "linear")
    words: tuple[str, ...] = fields.read("SelectTypeParameters", names, ())
    units = [word.split("_")[1] for word in words if word.removesuffix("_memory") in _COUNTED]
    accepted = ("cr_memory", "cr_lln", *(f"{name}{end}" for name in _COUNTED for end in ("", "_memory")))
    return Selection(
        kind == "linear",
        any(word.endswith("_memory") for word in words),
        "cr_lln" in words,
        units[0] if units else "core",
        tuple(word for word in words if word not in accepted),
        fields.pair("SelectType") is not None,
    )
