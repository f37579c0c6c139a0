"""Named tuples of arrays passed by reference: kernels pass on only their address.

An array is seven words to a compiled call, and an engine's state is a hundred arrays: handed on as they are, they make
most of a kernel's code, of the time to compile it, and much of the time of a call. Lent, a tuple is one word, and what
a kernel reads of it is fetched where it is used; the compiler may fetch it once, since nothing writes to it any more.

    def entry(jobs, state):
        return run(by_reference(jobs), by_reference(state))    in the function that Python calls

Fields read the same: arrays and numbers as they are, tuples within as lent ones. Where a tuple is so large that even to
take it apart in `entry` costs much, Python lays it out in memory (`LaidOut`) and hands over the address: an argument
of the type `ByReference` takes one.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,override,import-untyped,attr-defined"

from hashlib import sha256
from struct import pack
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from llvmlite import ir
from numba import config
from numba.core import cgutils, types
from numba.core.dispatcher import Dispatcher
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, intrinsic, lower_getattr_generic, models, register_model, unbox

from loadmaster.jit.array_items import array_of


class ByReference(types.Type):
    """The type of a lent tuple of the type `content`."""

    def __init__(self, content: types.BaseNamedTuple) -> None:
        self.content = content
        digest = sha256(content.name.encode()).hexdigest()[:16]  # the whole would stand in the name of every function
        super().__init__(name=f"Lent({content.instance_class.__name__}, {digest})")


_BYTES = ir.IntType(8).as_pointer()


@register_model(ByReference)
class _LentModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, _BYTES)  # the tuple's own type would stand in every line that looks at it


@unbox(ByReference)
def _of_address(kind, number, context):
    address = context.pyapi.long_as_longlong(number)
    return NativeValue(context.builder.inttoptr(address, context.context.get_value_type(kind)))


class LaidOut:
    """A named tuple laid out as kernels take it, for as long as this object lives.

    Args:
        values: holds arrays, numbers, None, functions compiled for one signature, and tuples of such.

    Attributes:
        address: what an argument of the type `ByReference` takes.

    Raises:
        TypeError: it holds something else.
    """

    def __init__(self, values: tuple[Any, ...]) -> None:
        out = bytearray()
        _put(values, out)
        out.extend(bytes(-len(out) % 8))
        self._values = values  # whose arrays must live as long
        self._memory = np.frombuffer(out, np.int64).copy()
        self.address = self._memory.ctypes.data


def _put(value: Any, out: bytearray) -> None:
    """Append `value` as the data model of its Numba type has it, at the alignment that C gives it."""
    if isinstance(value, bool | np.bool_):
        out.append(bool(value))
        return
    out.extend(bytes(-len(out) % _alignment(value)))
    if isinstance(value, np.ndarray):
        words = 0, 0, value.size, value.itemsize, _memory_of(value).data, *value.shape, *value.strides
        out.extend(pack(f"{len(words)}q", *words))
    elif isinstance(value, tuple):
        for each in value:
            _put(each, out)
        out.extend(bytes(-len(out) % _alignment(value)))
    elif isinstance(value, Dispatcher):
        out.extend(pack("3q", 0, 0, _code_of(value)))  # as `FunctionModel` of Numba: it calls the last, if there is one
    elif isinstance(value, int | np.int64 | None):
        out.extend(pack("q", value or 0))
    elif isinstance(value, float | np.float64):
        out.extend(pack("d", value))
    else:
        raise TypeError(type(value))


def _code_of(function: Dispatcher) -> int:
    """The address of the machine code."""
    if function not in _KNOWN_CODE:  # Numba takes a lock for each question
        (compiled,) = function.overloads.values()
        _KNOWN_CODE[function] = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    return _KNOWN_CODE[function]


_KNOWN_CODE: WeakKeyDictionary[Dispatcher, int] = WeakKeyDictionary()


_memory_of = np.ndarray.ctypes.__get__
"""Where an array lies; asked so, records do not describe their fields first."""


def _alignment(value: Any) -> int:
    if isinstance(value, tuple):
        return 8 if any(_alignment(each) == 8 for each in value) else 1
    return 1 if isinstance(value, bool | np.bool_) else 8


@infer_getattr
class _Fields(AttributeTemplate):
    key = ByReference

    def generic_resolve(self, lent, name):
        if name not in lent.content.fields:
            return None
        field = lent.content.types[lent.content.fields.index(name)]
        return ByReference(field) if isinstance(field, types.BaseNamedTuple) else field


@lower_getattr_generic(ByReference)
def _field(context, builder, lent, address, name):
    number = lent.content.fields.index(name)
    kind = lent.content.types[number]
    place = _at(builder, address, _offsets(context, lent.content)[number])
    if isinstance(kind, types.BaseNamedTuple):
        return place
    if isinstance(kind, types.Array):
        return _array(context, builder, kind, place)
    model = context.data_model_manager[kind]
    return model.from_data(builder, _fixed(builder, builder.bitcast(place, model.get_data_type().as_pointer())))


def _offsets(context, kind):
    """Where each field of `kind`, a type of tuples or arrays, lies in it: bytes."""
    if kind not in _KNOWN_OFFSETS:  # a question to LLVM for each, which reads the whole type
        layout = context.data_model_manager[kind].get_data_type()
        if isinstance(layout, ir.ArrayType):  # all of one type
            size = context.get_abi_sizeof(layout.element)
            _KNOWN_OFFSETS[kind] = [number * size for number in range(layout.count)]
        else:
            fields = range(len(layout.elements))
            _KNOWN_OFFSETS[kind] = [layout.get_element_offset(context.target_data, number) for number in fields]
    return _KNOWN_OFFSETS[kind]


_KNOWN_OFFSETS: dict[Any, list[int]] = {}


def _at(builder, address, offset):
    return builder.gep(address, [ir.Constant(ir.IntType(64), offset)], inbounds=True)


def _array(context, builder, kind, place):
    """The array whose parts lie at `place`, without a count of references: its owner outlives the call."""
    model, offsets = context.data_model_manager[kind], _offsets(context, kind)
    word = ir.IntType(64)

    def part(name, axis=0, be_type=word):
        where = _at(builder, place, offsets[model.get_field_position(name)] + 8 * axis)
        return _fixed(builder, builder.bitcast(where, be_type.as_pointer()))

    item_bytes = word(_item_bytes(context, kind))  # also the last stride of an array without gaps
    strides = [part("strides", axis) for axis in range(kind.ndim - (kind.layout == "C"))]
    shape = [part("shape", axis) for axis in range(kind.ndim)]
    data = part("data", be_type=context.get_data_type(kind.dtype).as_pointer())
    return array_of(context, builder, kind, data, shape, [*strides, item_bytes][: kind.ndim], item_bytes)


def _item_bytes(context, kind):
    """The bytes of an item of arrays of `kind`."""
    if kind.dtype not in _KNOWN_BYTES:
        _KNOWN_BYTES[kind.dtype] = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    return _KNOWN_BYTES[kind.dtype]


_KNOWN_BYTES: dict[Any, int] = {}


def _fixed(builder, place):
    """What stands at `place`, which is never written to."""
    value = builder.load(place)
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


@intrinsic
def _reference_to(typing, values):
    if isinstance(values, types.NoneType | ByReference):
        return values(values), lambda context, builder, signature, arguments: arguments[0]
    return ByReference(values)(values), _store_on_stack


def _itself(values):
    return values


by_reference: Any = _itself if config.DISABLE_JIT else _reference_to
"""Lend a named tuple for as long as the calling function runs.

None stays None, and so does what is lent already, as tuples do where nothing is compiled.
"""


@intrinsic
def _dereference(typing, lent):
    if not isinstance(lent, ByReference):
        return lent, lambda context, builder, signature, arguments: arguments[0]
    return lent.content(lent), _load


value_of: Any = _itself if config.DISABLE_JIT else _dereference
"""What was lent, as the named tuple that it was: for functions behind pointers, whose types say that they take one."""


def _load(context, builder, signature, arguments):
    model = context.data_model_manager[signature.return_type]
    place = builder.bitcast(arguments[0], model.get_data_type().as_pointer())
    return model.from_data(builder, _fixed(builder, place))


def _store_on_stack(context, builder, signature, arguments):
    model = context.data_model_manager[signature.args[0]]
    place = cgutils.alloca_once(builder, model.get_data_type())
    builder.store(model.as_data(builder, arguments[0]), place)
    return _unknown(builder, builder.bitcast(place, _BYTES))


def _unknown(builder, place):
    """The same address, of which the compiler does not know that something was stored there a moment ago."""
    kind = ir.FunctionType(place.type, [place.type])
    return builder.asm(kind, "", "=r,0,~{memory}", [place], True)
