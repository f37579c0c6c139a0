"""Rows that wait in their order, kept from pass to pass: who has left is dropped, who has come is put where it belongs.

Orders change little between two passes, so that sorting looks for runs that are in order already and merges them: one
look at each row where nothing has changed.
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
    """Where the rows that are in order from `at` on end."""
    if at < many:
        at += 1
    while at < many and not _before(line, order[at], order[at - 1]):
        at += 1
    return at


@inner
def _merge(line, order, begin, middle, end):
    """Put two runs, from `begin` and from `middle` on, into `spare` as one."""
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
