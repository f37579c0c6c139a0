"""Named tuples of arrays lent to kernels: what is handed from kernel to kernel is their address.

An array is seven words to a compiled call, and an engine's state is a hundred arrays: handed on as they are, they make
most of a kernel's code, of the time to compile it, and much of the time of a call. Lent, a tuple is one word, and what
a kernel reads of it is fetched where it is used; the compiler may fetch it once, since nothing writes to it any more.

    def entry(jobs, state):
        return run(lend(jobs), lend(state))      in the function that Python calls

Fields read the same: arrays and numbers as they are, tuples within as lent ones.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,override,import-untyped,attr-defined"

from hashlib import sha256
from typing import Any

from llvmlite import ir
from numba import config
from numba.core import cgutils, types
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, lower_getattr_generic, models, register_model


class Lent(types.Type):
    """The type of a lent tuple of the type `content`."""

    def __init__(self, content: types.BaseNamedTuple) -> None:
        self.content = content
        digest = sha256(content.name.encode()).hexdigest()[:16]  # the whole would stand in the name of every function
        super().__init__(name=f"Lent({content.instance_class.__name__}, {digest})")


@register_model(Lent)
class _LentModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, dmm.lookup(fe_type.content).get_data_type().as_pointer())


@infer_getattr
class _Fields(AttributeTemplate):
    key = Lent

    def generic_resolve(self, lent, name):
        if name not in lent.content.fields:
            return None
        field = lent.content.types[lent.content.fields.index(name)]
        return Lent(field) if isinstance(field, types.BaseNamedTuple) else field


@lower_getattr_generic(Lent)
def _field(context, builder, lent, address, name):
    number = lent.content.fields.index(name)
    kind = lent.content.types[number]
    place = cgutils.gep_inbounds(builder, address, 0, number)
    if isinstance(kind, types.BaseNamedTuple):
        return place
    if isinstance(kind, types.Array):
        return _array(context, builder, kind, place)
    model = context.data_model_manager[kind]
    return model.from_data(builder, _fixed(builder, place))


def _array(context, builder, kind, place):
    """The array whose parts lie at `place`, without a count of references: its owner outlives the call."""
    model = context.data_model_manager[kind]

    def part(name, *index):
        where = cgutils.gep_inbounds(builder, place, 0, model.get_field_position(name), *index)
        return _fixed(builder, where)

    array = context.make_array(kind)(context, builder)
    context.populate_array(
        array,
        data=part("data"),
        shape=[part("shape", axis) for axis in range(kind.ndim)],
        strides=[part("strides", axis) for axis in range(kind.ndim)],
        itemsize=context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype))),
        meminfo=None,
    )
    return array._getvalue()


def _fixed(builder, place):
    """What stands at `place`, which is never written to."""
    value = builder.load(place)
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


@intrinsic
def _lent(typing, values):
    if isinstance(values, types.NoneType | Lent):
        return values(values), lambda context, builder, signature, arguments: arguments[0]
    return Lent(values)(values), _lend


def _itself(values):
    return values


lend: Any = _itself if config.DISABLE_JIT else _lent
"""Lend a named tuple for as long as the calling function runs.

None stays None, and so does what is lent already, as tuples do where nothing is compiled.
"""


@intrinsic
def _held(typing, lent):
    if not isinstance(lent, Lent):
        return lent(lent), lambda context, builder, signature, arguments: arguments[0]
    return lent.content(lent), _load


value_of: Any = _itself if config.DISABLE_JIT else _held
"""What was lent, as the named tuple that it was: for functions behind pointers, whose types say that they take one."""


def _load(context, builder, signature, arguments):
    model = context.data_model_manager[signature.return_type]
    return model.from_data(builder, _fixed(builder, arguments[0]))


def _lend(context, builder, signature, arguments):
    model = context.data_model_manager[signature.args[0]]
    place = cgutils.alloca_once(builder, model.get_data_type())
    builder.store(model.as_data(builder, arguments[0]), place)
    return _unknown(builder, place)


def _unknown(builder, place):
    """The same address, of which the compiler does not know that something was stored there a moment ago."""
    kind = ir.FunctionType(place.type, [place.type])
    return builder.asm(kind, "", "=r,0,~{memory}", [place], True)
