"""The decorators of kernels, and the cache of their machine code on disk, by the source of all its parts.

Numba's own cache looks at one file. A kernel's machine code holds that of the kernels it calls in other files too, so
that after a change there it would go on running the old one.
"""
# mypy: disable-error-code="no-untyped-call,attr-defined"

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import config, njit
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.dispatcher import Dispatcher
from numba.np import linalg

from loadmaster.jit.compile_once import CompilationLock
from loadmaster.jit.compiler_shortcuts import collecting_rarely, take_shortcuts
from loadmaster.jit.first_compilation import FIRST_TIME
from loadmaster.jit.linked_kernels import PartCompiler
from loadmaster.results.stamp import file_of, imports_of, stamp


def _check_blas_lazily() -> None:
    """Let Numba take for granted, as it starts, that SciPy has BLAS: all of `scipy.linalg` is loaded to see.

    Numba looks again when it compiles what needs it, such as a product of matrices in a user's score.
    """
    looked_for = linalg.ensure_blas

    def not_yet() -> None:
        linalg.ensure_blas = looked_for

    if "numba.np.arraymath" not in sys.modules:  # asks once, as it is loaded
        linalg.ensure_blas = not_yet


_check_blas_lazily()
take_shortcuts()

LEAN: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
"""Options of kernels that allocate nothing: without Numba's counting of references, which atomic instructions make
the dearest part of a call with many arrays."""

_INNER: dict[str, Any] = {
    **LEAN, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": PartCompiler,
}  # fmt: skip
inner: Any = njit(**_INNER, forceinline=False)
"""The same for parts that only kernels call: not callable from Python, and compiled only within their callers."""
allocating: Any = njit(**_INNER | {"_nrt": True}, forceinline=False)
"""The same for parts that make arrays."""
inlined: Any = njit(**_INNER, forceinline=True)
"""As `inner`, for parts that have one caller: every array handed to a call costs seven words to push and to fetch."""


def cached_njit(signature: Any = None, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """As `numba.njit`, with the machine code kept on disk for as long as nothing in it changes.

    Args:
        signature: the one signature to compile for, at once; None to compile for what comes.
        options: of `numba.njit`.

    The function may not hold a kernel in its closure: Numba would never find again what it has kept.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        held = [cell.cell_contents for cell in function.__closure__ or ()]
        assert not any(isinstance(value, Dispatcher) for value in held), f"{function.__qualname__} closes over {held}"
        dispatcher = njit(**options)(function)
        if config.DISABLE_JIT:
            return dispatcher
        if file_of(function.__module__) is not None:
            with suppress(RuntimeError):  # nowhere to write: compiled in every process
                _keep(dispatcher, _KernelCache(function, kernel_stamp(function)))
        if signature is not None:
            dispatcher.compile(signature)
            dispatcher.disable_compile()
        return dispatcher

    return decorate


def cached_under(name: str, modules: tuple[str, ...], signature: Any, **options: Any) -> Callable[[Any], Any]:
    """As `cached_njit`, for a function that holds kernels in its closure, as a loop holds the score that it calls.

    The function's own name takes in `name`: what is loaded is linked by names, and those of one text, that processes
    have compiled each for itself, would be one.

    Args:
        name: tells this function from others of the same text that hold something else.
        modules: whose source, with all that they import, says what the function holds; machine code that was made
            of other source is made anew.
        signature: the one to compile for, at once.
        options: of `numba.njit`.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        function.__qualname__ += f"_{name.replace('-', '_')}"
        dispatcher = njit(**options)(function)
        if config.DISABLE_JIT:
            return dispatcher
        with suppress(RuntimeError):  # nowhere to write
            _keep(dispatcher, _NamedCache(function, stamp(*modules)))
        dispatcher.compile(signature)
        dispatcher.disable_compile()
        return dispatcher

    return decorate


def _keep(dispatcher: Dispatcher, cache: "_KernelCache") -> None:
    """Keep the machine code of `dispatcher` in `cache`, whose lock ends with each compilation, also one that fails."""
    compile_for = dispatcher.compile

    def compile_once(signature: Any) -> Any:
        try:
            with collecting_rarely():
                return compile_for(signature)
        finally:
            cache.lock.release()

    vars(dispatcher).update(_cache=cache, compile=compile_once)


def kernel_stamp(function: Callable[..., Any]) -> str:
    """A name for all the source that the machine code of `function` is made from.

    That is its own file, the files of all kernels it reaches, and the numbers and layouts that these take from
    elsewhere. For a function that is no kernel and calls none, such as a policy: all that its module imports.
    """
    own = function.__module__
    kernels = _kernel_modules(function)
    if not kernels:
        return stamp(own)
    digest = sha256(_content(own) + b"".join(_content(each) for each in _WAYS))
    for name in kernels:
        digest.update(_content(name))
        for each, value in sorted(vars(sys.modules[name]).items()):
            if not each.startswith("__"):
                digest.update(b"".join((each.encode(), *_plain(value))))
    return digest.hexdigest()[:16]


def _kernel_modules(function: Callable[..., Any]) -> list[str]:
    """The modules of kernels that `function` reaches, its own among them if it is a kernel."""
    entered = {function.__module__} if _of_kernels(function.__module__) else set()
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        if isinstance(value, Dispatcher):
            entered.add(value.py_func.__module__)
    reached: set[str] = set()
    while entered:
        name = entered.pop()
        reached.add(name)
        entered |= {other for other in imports_of(name) if _of_kernels(other) and other in sys.modules} - reached
    return sorted(reached)


_WAYS = tuple(f"loadmaster.jit.{each}" for each in ("array_items", "by_reference", "linked_kernels", "missing_fields"))
"""What decides how kernels are compiled."""


def _of_kernels(module: str) -> bool:
    return module.endswith("_kernel")


def _content(module: str) -> bytes:
    path = file_of(module)
    return path.read_bytes() if path is not None else b""


def _plain(value: Any) -> Iterator[bytes]:
    """What a kernel may take in of `value`: numbers, and the layout of a named tuple."""
    if isinstance(value, bool | int | float | str | np.generic):
        yield repr(value).encode()
    elif isinstance(value, tuple):
        for each in value:
            yield from _plain(each)
    elif isinstance(value, np.ndarray):
        yield value.tobytes()
    elif isinstance(value, type) and issubclass(value, tuple):
        yield repr(getattr(value, "_fields", ())).encode()


class _KernelCache(FunctionCache):
    """Numba's cache of one function, under a stamp of its source. What it cannot read or write is compiled anew.

    Processes that need the same machine code at the same moment do not all compile it: see `CompilationLock`.
    """

    def __init__(self, py_func: Callable[..., Any], source_stamp: str) -> None:
        super().__init__(py_func)
        self._cache_file = _Files(self._cache_path, self._impl.filename_base, source_stamp)
        self.lock = CompilationLock()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = self._load(sig, target_context)
        if found is None:  # Numba compiles it next, and has it saved
            FIRST_TIME.begins()
            self.lock.acquire(self._cache_file.lock_of(self._index_key(sig, target_context.codegen())))
            found = self._load(sig, target_context)
            if found is not None:  # another process has compiled it
                FIRST_TIME.ends()
        return found

    def _load(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # damaged, or left by another version: pickled data fail in any way
            with suppress(OSError):
                self.flush()

    def save_overload(self, sig: Any, data: Any) -> None:
        FIRST_TIME.ends()
        with suppress(OSError):  # disk full, or no longer writable
            super().save_overload(sig, data)


class _NamedCache(_KernelCache):
    """The same of one function among several of the same text: by its name, whatever it holds."""

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return sig, codegen.magic_tuple()


class _Files(IndexDataCacheFile):
    """Index and data of one function; a data file's name bears the stamp, and what it was compiled for.

    Numba writes the index first, and numbers the data: a process that is killed in between must not leave an index of
    new source that names data of old, and two at the same moment must not write what they compiled for different
    arguments under one number.
    """

    def __init__(self, cache_path: str, filename_base: str, source_stamp: str) -> None:
        checks = " with bounds checks" if config.BOUNDSCHECK else ""
        super().__init__(cache_path=cache_path, filename_base=filename_base, source_stamp=source_stamp + checks)
        self._base = filename_base

    def save(self, key: Any, data: Any) -> None:
        """Write index and data, and let go of what other source, of other lines too, has left."""
        kept = self._load_index()
        if not kept:
            name, _, line = self._base.rpartition("-")
            python = line.partition(".")[2]
            for path in Path(self._cache_path).glob(f"{name}-*.{python}.*nb[ic]"):
                path.unlink(missing_ok=True)
        kept[key] = f"{self._name_of(key)}.nbc"
        self._save_index(kept)
        self._save_data(kept[key], data)

    def lock_of(self, key: Any) -> Path:
        """Where processes that compile for `key` lock each other out."""
        return Path(self._cache_path) / f"{self._name_of(key)}.lock"

    def _name_of(self, key: Any) -> str:
        shown = sha256(f"{self._source_stamp} {numba.__version__} {key!r}".encode()).hexdigest()[:16]
        return f"{self._base}.{shown}"
