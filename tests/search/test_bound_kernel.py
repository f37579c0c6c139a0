import numpy as np

from loadmaster.search.bound_kernel import PricedJobs, Prices, Starts, cheapest_starts, use_of


def random_prices(rng):
    jobs, classes, resources, buckets = rng.integers(1, [6, 4, 3, 12])
    width = float(rng.choice([0.5, 1.0, 7.3]))
    lasts = rng.choice([0.3, 1.0, 2.5, 7.3, 40.0], (jobs, classes))
    lasts[rng.random((jobs, classes)) < 0.2] = np.inf
    lasts[:, 0] = np.where(np.isinf(lasts).all(axis=1), 1.0, lasts[:, 0])
    share = rng.random((jobs, classes, resources))
    price = np.zeros((classes, resources, buckets + 1))
    price[:, :, :-1] = rng.random((classes, resources, buckets)) * (rng.random((classes, resources, buckets)) < 0.7)
    price *= 10.0
    paid = np.zeros_like(price)
    np.cumsum(price[:, :, :-1] * width, axis=2, out=paid[:, :, 1:])
    ready = rng.choice([0.0, 1.0, rng.random() * width * buckets], jobs)
    return PricedJobs(ready, lasts, share), Prices(price, paid), width


def cost_plainly(jobs, prices, width, j, c, start):
    """Wait and price of job j on class c from `start` on, by walking through all buckets."""
    end = start + jobs.lasts[j, c]
    cost = start - jobs.ready[j]
    for k in range(prices.price.shape[2] - 1):
        overlap = max(0.0, min(end, (k + 1) * width) - max(start, k * width))
        cost += overlap * float(jobs.share[j, c] @ prices.price[c, :, k])
    return cost


def every_start(jobs, prices, width, j, c):
    """The earliest start, and all at which it or the end meets an edge of a bucket."""
    edges = np.arange(prices.price.shape[2]) * width
    found = [jobs.ready[j], *edges, *(edges - jobs.lasts[j, c])]
    return [start for start in found if start >= jobs.ready[j]]


def test_the_kernel_finds_the_cheapest_of_all_starts_that_the_plain_reference_tries():
    rng = np.random.default_rng(1)
    for _ in range(300):
        jobs, prices, width = random_prices(rng)
        number, classes = jobs.lasts.shape
        starts = Starts(np.empty(number), np.empty(number, np.int32), np.empty(number))
        cheapest_starts(jobs, prices, width, starts)
        for j in range(number):
            runs_on = [c for c in range(classes) if np.isfinite(jobs.lasts[j, c])]
            costs = [
                cost_plainly(jobs, prices, width, j, c, s)
                for c in runs_on
                for s in every_start(jobs, prices, width, j, c)
            ]
            assert np.isclose(starts.cost[j], min(costs), rtol=1e-9, atol=1e-9)
            own = cost_plainly(jobs, prices, width, j, starts.on[j], starts.start[j])
            assert np.isclose(own, starts.cost[j], rtol=1e-9, atol=1e-9)


def test_use_is_what_walking_through_all_buckets_counts():
    rng = np.random.default_rng(2)
    for _ in range(200):
        jobs, prices, width = random_prices(rng)
        number = len(jobs.ready)
        starts = Starts(np.empty(number), np.empty(number, np.int32), np.empty(number))
        cheapest_starts(jobs, prices, width, starts)
        use = np.empty_like(prices.price)
        use_of(jobs, starts, width, use)
        plain = np.zeros_like(use[:, :, :-1])
        for j in range(number):
            c, begins = starts.on[j], starts.start[j]
            for k in range(plain.shape[2]):
                overlap = max(0.0, min(begins + jobs.lasts[j, c], (k + 1) * width) - max(begins, k * width))
                plain[c, :, k] += overlap * jobs.share[j, c]
        assert np.allclose(use[:, :, :-1], plain, rtol=1e-9, atol=1e-9)


def test_a_job_whose_cost_is_not_a_number_anywhere_uses_nothing():
    """Infinite prices before and after the job make its cost the difference of two infinities."""
    price = np.array([[[np.inf, np.inf, 0.0]]])
    jobs, prices = (
        PricedJobs(np.ones(1), np.ones((1, 1)), np.ones((1, 1, 1))),
        Prices(price, np.full((1, 1, 3), np.inf)),
    )
    starts = Starts(np.empty(1), np.empty(1, np.int32), np.empty(1))
    cheapest_starts(jobs, prices, 1.0, starts)
    use = np.empty((1, 1, 3))
    use_of(jobs, starts, 1.0, use)
    assert starts.on[0] == -1
    assert use.max() == use.min() == 0.0


def test_a_job_that_is_ready_after_all_buckets_pays_nothing_however_late_it_is():
    price = np.array([[[1.0, 1.0, 0.0]]])
    jobs = PricedJobs(np.array([1e300]), np.ones((1, 1)), np.ones((1, 1, 1)))
    starts = Starts(np.empty(1), np.empty(1, np.int32), np.empty(1))
    cheapest_starts(jobs, Prices(price, np.array([[[0.0, 1.0, 2.0]]])), 1.0, starts)
    assert (starts.start[0], starts.on[0], starts.cost[0]) == (1e300, 0, 0.0)
