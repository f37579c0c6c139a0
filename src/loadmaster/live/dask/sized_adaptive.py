"""Dask's Adaptive hook, sized by a sizer instead of by load: pass the class to `cluster.adapt(Adaptive=...)`."""

from collections.abc import Callable
from typing import Any

from distributed.deploy.adaptive import Adaptive

from loadmaster.live.dask.machines import ScalingRequest
from loadmaster.live.dask.scheduler_watch import SchedulerWatch
from loadmaster.sizing import HostType, Planner, Sizer


class SizedAdaptive(Adaptive):
    """Starts and closes workers as a sizer says, one worker being one machine.

    ```
    cluster = LocalCluster(n_workers=0, threads_per_worker=1)
    cluster.adapt(Adaptive=SizedAdaptive, sizer=Planner(deadline_s=1800), types=(HostType(unit_s=60),))
    ```

    What the sizer knows comes from the cluster's own scheduler, which must live in this process, as it does for
    `LocalCluster`, `SpecCluster` and every dask-jobqueue cluster. Workers should have one thread.

    Args:
        cluster: see Dask.
        sizer: decides; a `Planner` if none is given.
        types: the one machine type of this cluster, in a tuple.
        advise: takes the place of sizer and types: called with the workers that are planned, says what is wanted.
        interval: how often to decide; 0: only when `adapt` is called.
        **others: see Dask. `minimum` and `maximum` bound the number of workers; `target_duration` has no effect.
    """

    def __init__(
        self,
        cluster: Any,
        *,
        sizer: Sizer | None = None,
        types: tuple[HostType, ...] = (HostType(),),
        advise: Callable[[frozenset[Any]], ScalingRequest] | None = None,
        interval: Any = "1s",
        **others: Any,
    ) -> None:
        if advise is None:
            advise = SchedulerWatch.on(cluster, sizer or Planner(), types).advise
        self._advise = advise
        self._wanted = ScalingRequest()
        super().__init__(cluster, interval=interval, **others)

    async def target(self) -> int:
        """How many workers there should be."""
        self._wanted = self._advise(frozenset(self.plan))
        return len(self.plan) + self._wanted.rent - len(self._wanted.release)

    async def workers_to_close(self, target: int) -> list[Any]:
        """The workers the sizer gives back."""
        return list(self._wanted.release)

    async def recommendations(self, target: int) -> dict[str, Any]:
        """Does at once what was requested: a sizer has weighed it, so there is no waiting for several votes."""
        release = [name for name in self._wanted.release if name in self.plan]
        if release:
            await self.scale_down(release)
        if target > len(self.plan):
            return {"status": "up", "n": target}
        return {"status": "same"}
