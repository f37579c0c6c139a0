"""A binary heap of (key, payload) in two flat arrays, smallest key first, smaller payload among equals."""
# mypy: disable-error-code="no-untyped-def"

from loadmaster.jit.kernels import inner


@inner
def push(keys, payloads, size, key, payload):
    """Add an entry in place; return the new size. The arrays must have room."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if keys[parent] < key or (keys[parent] == key and payloads[parent] <= payload):
            break
        keys[i] = keys[parent]
        payloads[i] = payloads[parent]
        i = parent
    keys[i] = key
    payloads[i] = payload
    return size + 1


@inner
def drop_first(keys, payloads, size):
    """Remove the entry at index 0 in place; return the new size."""
    size -= 1
    key = keys[size]
    payload = payloads[size]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        right = child + 1
        if right < size and (
            keys[right] < keys[child] or (keys[right] == keys[child] and payloads[right] < payloads[child])
        ):
            child = right
        if key < keys[child] or (key == keys[child] and payload <= payloads[child]):
            break
        keys[i] = keys[child]
        payloads[i] = payloads[child]
        i = child
    keys[i] = key
    payloads[i] = payload
    return size
