"""The lock that CI installs from: every requirement is pinned within its bounds, by hash, from no index we name."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

HOME = Path(__file__).parents[2]
PROJECT = tomllib.loads((HOME / "pyproject.toml").read_text())["project"]
LOCK = (HOME / ".ci" / "requirements.txt").read_text()
BUILT = (HOME / ".ci" / "requirements-libvirt.txt").read_text()
"""What is built against a library of the machine, and so installed only where that is there."""


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def required(extra):
    """Every requirement of the package with an extra, those of extras that it names included."""
    for text in PROJECT["optional-dependencies"][extra]:
        requirement = Requirement(text)
        if requirement.name == PROJECT["name"]:
            for other in requirement.extras:
                yield from required(other)
        else:
            yield requirement


def pinned(*locks):
    found = re.findall(r"^([\w.-]+)==(\S+)", "\n".join(locks or (LOCK,)), re.MULTILINE)
    return {canonical(name): version for name, version in found}


def test_every_requirement_is_pinned_within_its_bounds():
    versions = pinned(LOCK, BUILT)
    wanted = [*map(Requirement, PROJECT["dependencies"]), *required("dev"), *required("libvirt")]
    outside = [str(r) for r in wanted if not r.specifier.contains(versions.get(canonical(r.name), "0"))]
    assert outside == []
    assert len(wanted) > 20


@pytest.mark.parametrize("lock", [LOCK, BUILT], ids=["all", "built"])
def test_every_pin_has_hashes_and_none_says_where_to_get_it(lock):
    pins = re.split(r"\n(?=\S+==)", lock)[1:]
    assert len(pins) == len(pinned(lock)) > 0
    assert [pin.split("==")[0] for pin in pins if "--hash=sha256:" not in pin] == []
    assert re.findall(r"^\s*(?:-i|-f|--\S*(?:index|links|host)\S*)\b.*|\S+://\S+", lock, re.MULTILINE) == []


def test_what_runs_for_a_user_has_an_upper_bound():
    extras = [r for name in ("exact", "dask", "postgres", "libvirt") for r in required(name)]
    unbounded = [r.name for r in [*map(Requirement, PROJECT["dependencies"]), *extras] if "<" not in str(r.specifier)]
    assert unbounded == ["cryptography"]  # only Dask calls it, which bounds it as it needs
