"""Kernels that only other kernels call: compiled as parts of the one that Python calls, and only there.

Numba makes machine code of every kernel as soon as it is compiled, with all that it calls within it: a kernel that lies
eight calls deep is optimised eight times, and eight times it becomes machine code that nobody runs. A part goes into
the modules of its callers as it was translated; the kernel at the top optimises the whole once.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from numba.core import typed_passes as typed
from numba.core import untyped_passes as untyped
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager

from loadmaster.jit.missing_fields import MissingFields


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

    def _optimize_final_module(self):
        """Left to the kernel at the top."""

    def _finalize_final_module(self):
        self._finalized = True

    def get_pointer_to_function(self, name):
        """There is no machine code to point to."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self):
        """Asked only for the place of an environment, which code without objects of Python never looks at."""
        return _NoEnvironments


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
