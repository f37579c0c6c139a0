"""A pass of Numba's compiler: a field that is None in a tuple by reference is None in the code that reads it.

Numba drops `if part is not None:` where `part` is an argument of a kernel that is compiled for None. For a field of a
tuple (`engine.part`) it knows the type only later, when it has compiled all kernels that the branch calls. This pass
writes None in place of such a field, before Numba looks for branches that cannot be taken.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,attr-defined"

from numba.core import ir, types
from numba.core.compiler_machinery import FunctionPass, register_pass

from loadmaster.jit.by_reference import ByReference


@register_pass(mutates_CFG=False, analysis_only=False)
class MissingFields(FunctionPass):
    """Replaces reads of fields of the type none by the constant None."""

    _name = "missing_fields"

    def __init__(self):
        FunctionPass.__init__(self)

    def run_pass(self, state):
        """Change the code of `state` in place; returns whether anything was replaced."""
        code, replaced = state.func_ir, False
        kinds: dict[str, types.Type] = {}
        for label in sorted(code.blocks):
            for line in code.blocks[label].body:
                if not isinstance(line, ir.Assign) or len(code._definitions[line.target.name]) != 1:
                    continue
                kind = _kind_of(line.value, state.args, kinds)
                if isinstance(kind, types.NoneType) and isinstance(line.value, ir.Expr):
                    line.value = ir.Const(None, line.loc)
                    code._definitions[line.target.name] = [line.value]
                    replaced = True
                elif kind is not None:
                    kinds[line.target.name] = kind
        return replaced


def _kind_of(value, arguments, kinds):
    """The type of `value`, an argument or a field of one; None if it is neither."""
    if isinstance(value, ir.Arg):
        return arguments[value.index]
    if isinstance(value, ir.Var):
        return kinds.get(value.name)
    if isinstance(value, ir.Expr) and value.op == "getattr":
        return _field(kinds.get(value.value.name), value.attr)
    return None


def _field(kind, name):
    """The type of a field of a lent tuple, itself lent if it is a tuple; None if there is none."""
    if not isinstance(kind, ByReference) or name not in kind.content.fields:
        return None
    field = kind.content.types[kind.content.fields.index(name)]
    return ByReference(field) if isinstance(field, types.BaseNamedTuple) else field
