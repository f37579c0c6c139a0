"""The waiting rows in their order, kept from pass to pass: rows that left are dropped, new rows are put in place.

Orders change little between two passes. So the sort finds runs that are already in order and merges them: if nothing
has changed, it looks at each row once.
"""
# mypy: disable-error-code="no-untyped-def"

from loadmaster.jit.kernels import inner


@inner
def sort_line(line, order, many):
    """Sort the first `many` of `order` int32[E] by tier, key and number."""
    while True:
        at = runs = 0
        while at < many:
            middle = _end_of_run(line, order, at, many)
            # the whole list is in order
            if at == 0 and middle == many:
                return
            end = _end_of_run(line, order, middle, many)
            _merge(line, order, at, middle, end)
            at, runs = end, runs + 1
        for i in range(many):
            order[i] = line.spare[i]
        if runs <= 1:
            return


@inner
def _end_of_run(line, order, at, many):
    """The end of the ordered run that begins at `at`."""
    if at < many:
        at += 1
    while at < many and not _before(line, order[at], order[at - 1]):
        at += 1
    return at


@inner
def _merge(line, order, begin, middle, end):
    """Merge two runs, from `begin` and from `middle` on, into `spare`."""
    one, other = begin, middle
    for at in range(begin, end):
        if other == end or (one < middle and not _before(line, order[other], order[one])):
            line.spare[at] = order[one]
            one += 1
        else:
            line.spare[at] = order[other]
            other += 1


@inner
def _before(line, row, other):
    if line.tier[row] != line.tier[other]:
        return line.tier[row] < line.tier[other]
    if line.key[row] != line.key[other]:
        return line.key[row] < line.key[other]
    return row < other
