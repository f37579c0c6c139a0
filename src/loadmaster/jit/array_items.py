"""Items of arrays, and arrays themselves, in a third of the instructions that Numba writes for the same machine code.

Numba lays each array out on the stack to take it apart. The compiler removes that again, but only after the
instructions were written, printed, read and optimised. Half of all instructions of the queue engine came from there.
Here an array's parts are taken from the value that it is.

What is not one item of an array, named by whole numbers, is left to Numba, and so is everything where bounds are
checked.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,import-untyped"

import operator

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_builtin
from numba.np import arrayobj


def array_of(context, builder, kind, data, shape, strides, item_bytes):
    """The value of an array of `kind` whose references are not counted."""
    model = context.data_model_manager[kind]
    items = shape[0]
    for length in shape[1:]:
        items = builder.mul(items, length, flags=["nsw"])
    empty = {"meminfo": None, "parent": None, "itemsize": item_bytes.constant}
    fields = zip(model._fields, model.get_value_type().elements, strict=True)
    array = ir.Constant(model.get_value_type(), [each(empty.get(name, ir.Undefined)) for name, each in fields])
    for name, value in (("nitems", items), ("data", data)):
        array = builder.insert_value(array, value, model.get_field_position(name))
    for name, values in (("shape", shape), ("strides", strides)):
        for axis, value in enumerate(values):
            array = builder.insert_value(array, value, [model.get_field_position(name), axis])
    return array


@lower_builtin(operator.getitem, types.Array, types.Integer)
def _item(context, builder, signature, arguments):
    if not _is_item(context, signature.args[0], [signature.args[1]]):
        return arrayobj.getitem_arraynd_intp(context, builder, signature, arguments)
    return _load(context, builder, signature, arguments[0], [signature.args[1]], [arguments[1]])


@lower_builtin(operator.getitem, types.Array, types.BaseTuple)
def _item_of_axes(context, builder, signature, arguments):
    array, axes = signature.args
    if not _is_item(context, array, axes.types):
        return arrayobj.getitem_array_tuple(context, builder, signature, arguments)
    return _load(context, builder, signature, arguments[0], axes.types, cgutils.unpack_tuple(builder, arguments[1]))


@lower_builtin(operator.setitem, types.Array, types.Any, types.Any)
def _set_item(context, builder, signature, arguments):
    array, index, value = signature.args
    in_tuple = isinstance(index, types.BaseTuple)
    kinds = index.types if in_tuple else [index]
    if not _is_item(context, array, kinds):
        arrayobj.setitem_array(context, builder, signature, arguments)
        return
    indices = cgutils.unpack_tuple(builder, arguments[1]) if in_tuple else [arguments[1]]
    place = _place(context, builder, array, arguments[0], kinds, indices)
    arrayobj.store_item(context, builder, array, context.cast(builder, arguments[2], value, array.dtype), place)


def _is_item(context, array, indices):
    """Whether `indices` name one item, not an array itself, of an array of the type `array`, and go unchecked."""
    whole = all(isinstance(each, types.Integer) for each in indices)
    of_arrays = isinstance(array.dtype, types.NestedArray)
    return whole and not of_arrays and len(indices) == array.ndim and not context.enable_boundscheck


def _load(context, builder, signature, array, kinds, indices):
    kind = signature.args[0]
    return arrayobj.load_item(context, builder, kind, _place(context, builder, kind, array, kinds, indices))


def _place(context, builder, kind, array, kinds, indices):
    """Where the item lies; negative indices count from the end."""
    model = context.data_model_manager[kind]

    def part(*where):
        name, *axis = where
        return builder.extract_value(array, [model.get_field_position(name), *axis])

    shape = [part("shape", axis) for axis in range(kind.ndim)]
    pairs = zip(kinds, indices, shape, strict=True)
    places = [arrayobj.fix_integer_index(context, builder, *pair) for pair in pairs]
    if kind.ndim == 1 and kind.layout in "CF":
        return builder.gep(part("data"), places)
    strides = [part("strides", axis) for axis in range(kind.ndim)] if kind.layout == "A" else []
    return cgutils.get_item_pointer2(context, builder, part("data"), shape, strides, kind.layout, places)
