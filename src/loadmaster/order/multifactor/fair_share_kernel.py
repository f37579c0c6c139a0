"""Fair share compiled, from the plain functions where these call no others (rules O12 to O14)."""
# mypy: disable-error-code="no-untyped-def"

from loadmaster.jit.kernels import inner
from loadmaster.order.multifactor.classic import classic
from loadmaster.order.multifactor.fair_tree import level_fairness

_classic, _level_fairness = inner(classic), inner(level_fairness)


@inner
def fair_shares(tree, usage, is_classic, merged, damp, room):
    """As `fair_share.fair_shares`."""
    total = room.total
    for node in range(total.shape[0]):  # a copy of the slice would allocate
        total[node] = usage[node]
    for node in range(total.shape[0] - 1, 0, -1):
        total[tree.parent[node]] += total[node]
    if is_classic:
        _classic(tree, total, damp, room.first, room.second, room.factor)
    else:
        _level_fairness(tree, total, room.sums, room.first)
        _fair_tree(tree, room.first, merged, room.order, room.frames, room.factor)


@inner
def _fair_tree(tree, fairness, merged, order, frames, factor):
    factor[:] = 0.0
    users = 0
    for node in range(tree.user.shape[0]):
        users += tree.user[node]
    to_come, rank = users, users
    filled = _push(tree, 0, order, 0)
    _sort(tree, fairness, order, 0, filled)
    _frame(frames, 0, 0, filled, False)
    depth = 1
    while depth > 0:
        begin, at, end = frames[depth - 1, 0], frames[depth - 1, 1], frames[depth - 1, 2]
        if at == end:
            depth -= 1
            continue
        node = order[at]
        tied = frames[depth - 1, 3] != 0 if at == begin else fairness[node] == fairness[order[at - 1]]
        after = at + 1
        if tree.user[node]:
            if not tied:
                rank = to_come
            factor[node] = rank / users
            to_come -= 1
            frames[depth - 1, 1] = after
            continue
        start = filled
        filled = _push(tree, node, order, filled)
        while merged and after < end and fairness[order[after]] == fairness[node]:
            filled = _push(tree, order[after], order, filled)
            after += 1
        frames[depth - 1, 1] = after
        _sort(tree, fairness, order, start, filled)
        _frame(frames, depth, start, filled, tied)
        depth += 1


@inner
def _frame(frames, depth, begin, end, tied):
    frames[depth, 0] = begin
    frames[depth, 1] = begin
    frames[depth, 2] = end
    frames[depth, 3] = tied


@inner
def _push(tree, account, order, filled):
    for at in range(tree.first[account], tree.first[account + 1]):
        order[filled] = tree.child[at]
        filled += 1
    return filled


@inner
def _sort(tree, fairness, order, begin, end):
    """A heap with the last at its top, taken apart from the end."""
    size = end - begin
    for root in range(size // 2 - 1, -1, -1):
        _sift(tree, fairness, order, begin, root, size)
    for last in range(size - 1, 0, -1):
        top = order[begin]
        order[begin] = order[begin + last]
        order[begin + last] = top
        _sift(tree, fairness, order, begin, 0, last)


@inner
def _sift(tree, fairness, order, begin, root, size):
    node = order[begin + root]
    while 2 * root + 1 < size:
        child = 2 * root + 1
        if child + 1 < size and _before(tree, fairness, order[begin + child], order[begin + child + 1]):
            child += 1
        if not _before(tree, fairness, node, order[begin + child]):
            break
        order[begin + root] = order[begin + child]
        root = child
    order[begin + root] = node


@inner
def _before(tree, fairness, one, other):
    """Falling fairness, at equal fairness users first, then as in the table."""
    if fairness[one] != fairness[other]:
        return fairness[one] > fairness[other]
    if tree.user[one] != tree.user[other]:
        return tree.user[one]
    return one < other
