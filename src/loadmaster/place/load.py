"""Finds a placement policy by its name on the command line: a built-in, or `file.py:function`."""

import importlib.util
import inspect
import sys
from difflib import get_close_matches
from pathlib import Path

from loadmaster.model.errors import InputError
from loadmaster.place import POLICIES
from loadmaster.place.policy import Policy


def policy_named(spec: str) -> Policy:
    """The built-in policy `spec`, or the user's function where `spec` reads `path/to/file.py:function`.

    A user's function takes (demand, free, capacity), or (demand, free, capacity, context) to see the rest.

    Raises:
        InputError: no such policy, file or function, or a function with other parameters.

    Example:
        >>> policy_named("mix-fit").source
        'Shai 2014'
    """
    if ":" in spec or spec.endswith(".py"):
        return _from_file(spec)
    if spec not in POLICIES:
        near = get_close_matches(spec, POLICIES, n=1)
        fix = f"did you mean {near[0]}?" if near else "see `loadmaster policies`"
        raise InputError(spec, "no such placement policy", fix=fix)
    return POLICIES[spec]


def _from_file(spec: str) -> Policy:
    path, _, name = spec.rpartition(":")
    if not path or not name:
        raise InputError(spec, "a policy of your own is named with its function", fix="write file.py:function")
    file = Path(path)
    if not file.is_file():
        raise InputError(path, "no such file", fix="give the path of the Python file with your policy")
    module_spec = importlib.util.spec_from_file_location(f"loadmaster_policy_{file.stem}", file.resolve())
    assert module_spec is not None
    assert module_spec.loader is not None
    module = importlib.util.module_from_spec(module_spec)
    sys.modules[module_spec.name] = module
    try:
        module_spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise InputError(path, f"this file cannot be imported: {type(error).__name__}: {error}") from error
    score = getattr(module, name, None)
    if not inspect.isfunction(score):
        raise InputError(name, "no such function", where=path, fix="name a function of this file")
    arguments = len(inspect.signature(score).parameters)
    if arguments not in (3, 4):
        raise InputError(
            name, f"a policy takes 3 or 4 parameters, this takes {arguments}", where=path,
            fix="write it as score(demand, free, capacity)",
        )  # fmt: skip
    contextual = arguments == 4
    return Policy(spec, score, "your own policy", str(file), contextual=contextual, varies=contextual)
