"""Kernels that only other kernels call: compiled as parts of the one that Python calls, and only there.

Numba makes machine code of every kernel as soon as it is compiled, including all kernels that it calls. So a kernel
eight calls deep is copied and optimised eight times, and becomes machine code that never runs eight times. A part is
stored as it was translated, without the kernels that it calls. The kernel at the top links each part that it reaches
once, and optimises the whole once.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,import-untyped"

from types import SimpleNamespace

from llvmlite.binding import Linkage, parse_bitcode
from numba.core import typed_passes as typed
from numba.core import untyped_passes as untyped
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager

from loadmaster.jit.missing_fields import MissingFields


class _Whole(JITCodeLibrary):
    """Code that takes in the parts it calls, and those that they call.

    Once its machine code is made, what that was made from is kept as bitcode, in case other code calls it.
    """

    def finalize(self):
        """Link all that is called, and make machine code of it."""
        self._linking_libraries = _callers_first(self._linking_libraries)
        super().finalize()
        self._linking_libraries.clear()
        self._codegen._engine._ee.remove_module(self._final_module)
        self._shared_module = self._final_module = _Translated(self._final_module)
        self._disable_inspection = True

    @classmethod
    def _unserialize(cls, codegen, state):
        """Load what was kept on disk."""
        library = super()._unserialize(codegen, state)
        library._shared_module = _Translated(library._shared_module)
        return library


def _callers_first(libraries):
    """`libraries` and all that their parts call, each once and after all that call it.

    LLVM takes a function of a part in where something that is linked already calls it, and drops it otherwise.
    """
    done: dict[JITCodeLibrary, None] = {}
    left = list(libraries)
    while left:
        library = left[-1]
        calls = library._linking_libraries if isinstance(library, _Part) else ()
        new = [each for each in calls if each not in done]
        if library not in done and new:
            left += new
        else:
            done[left.pop()] = None
    return list(reversed(done))


JITCPUCodegen._library_class = _Whole


class _Part(JITCodeLibrary):
    """Code to be linked into others."""

    def add_llvm_module(self, module):
        """Tidy up each function, which makes the whole much smaller; what is only declared costs nothing."""
        module.data_layout = self._codegen._data_layout
        for function in module.functions:
            if not function.is_declaration:
                manager, builder = self._codegen._function_pass_manager()
                manager.run(function, builder)
        self._final_module.link_in(module)

    def finalize(self):
        """Keep what was translated; to link and to optimise is left to the kernel at the top."""
        self._raise_if_finalized()
        for library in self._linking_libraries:
            self._reload_init.update(library._reload_init)
        self._finalize_dynamic_globals()
        self._shared_module = self._final_module = _Translated(self._final_module)
        self._finalized = True

    def get_pointer_to_function(self, name):
        """There is no machine code to point to."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self):
        """Asked only for the place of an environment, which code without objects of Python never looks at."""
        return _NoEnvironments


class _Translated:
    """A module that is linked into several, kept as bitcode: a tenth of its size, and three times as quick to copy.

    Attributes:
        global_variables: their names, requested by what keeps machine code on disk.
    """

    def __init__(self, module):
        for function in module.functions:
            if not function.is_declaration and function.linkage == Linkage.external:
                function.linkage = "linkonce_odr"  # of one name, any will do, and none if it is not called
        self.global_variables = [SimpleNamespace(name=each.name) for each in module.global_variables]
        self._bitcode = module.as_bitcode()
        module.close()

    def as_bitcode(self):
        """What is kept on disk."""
        return self._bitcode

    def clone(self):
        """A module to be taken apart."""
        return parse_bitcode(self._bitcode)


class _NoEnvironments:
    @staticmethod
    def set_env(name, environment):
        pass


_PASSES = (
    untyped.TranslateByteCode,
    untyped.FixupArgs,
    untyped.IRProcessing,
    MissingFields,
    untyped.RewriteSemanticConstants,
    untyped.DeadBranchPrune,
    untyped.GenericRewrites,
    untyped.ReconstructSSA,
    untyped.DeadBranchPrune,
    typed.NopythonTypeInference,
    typed.PreLowerStripPhis,
    typed.NopythonRewrites,
    typed.NoPythonSupportedFeatureValidation,
    typed.IRLegalization,
    typed.NativeLowering,
    typed.NoPythonBackend,
)
"""Numba's own and `MissingFields`, but for those that look for what parts do not have: closures, literals to unroll,
parallel loops."""


class PartCompiler(Compiler):
    """Numba's compiler, for parts."""

    def define_pipelines(self):
        """One, of fewer passes."""
        passes = PassManager("part")
        for each in _PASSES:
            passes.add_pass(each, each.__name__)
        passes.finalize()
        return [passes]

    def compile_extra(self, function):
        """Compile `function` into code to be linked."""
        self.state.library = _Part(self.state.targetctx.codegen(), function.__qualname__)
        return super().compile_extra(function)
