"""An `Environment` in the form of Gymnasium; needs the extra `gym`."""

from typing import Any

import numpy as np

from loadmaster.model.errors import MissingExtra
from loadmaster.verbs.environment import AgentObservation, Environment

NO_PROMISE = -1.0
"""The seconds until a promised start where no job has a promise."""


def gym_environment(environment: Environment) -> Any:
    """`environment` as a `gymnasium.Env`.

    Observations are a dictionary of copies: `jobs` float64[W, 3 + R], `startable` int8[W + 1], `hosts` float64[H, R]
    and `promise_s` float64[1], the seconds until the promised start or -1. `action_masks()` gives what is allowed. An
    episode without `seed` takes the next number that the environment draws.

    Raises:
        MissingExtra: Gymnasium is not installed.
    """
    try:
        import gymnasium
        from gymnasium import spaces
    except ImportError as error:
        raise MissingExtra("Environment.gym", "gym") from error

    window, (hosts, resources) = environment.options.window, environment.capacity.shape
    inf = np.inf

    class GymEnvironment(gymnasium.Env):
        """A cluster that an agent drives."""

        metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012
        observation_space = spaces.Dict(
            {
                "jobs": spaces.Box(0.0, inf, (window, 3 + resources), np.float64),
                "startable": spaces.MultiBinary(window + 1),
                "hosts": spaces.Box(0.0, np.broadcast_to(environment.capacity, (hosts, resources)), dtype=np.float64),
                "promise_s": spaces.Box(NO_PROMISE, inf, (1,), np.float64),
            }
        )
        action_space = (
            spaces.MultiDiscrete([window + 1, hosts])
            if environment.options.choose_host
            else spaces.Discrete(window + 1)
        )

        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
            """Begin an episode."""
            super().reset(seed=seed)
            drawn = seed if seed is not None else int(self.np_random.integers(2**31))
            return _copies(environment.reset(drawn)), {}

        def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
            """Carry one action out."""
            seen, reward, done = environment.step(action)
            return _copies(seen), reward, done, False, {"refused": environment.refused}

        def action_masks(self) -> Any:
            """bool[W + 1]: the rows that can start now, and whether nothing may be started."""
            return environment.startable.copy()

    return GymEnvironment()


def _copies(seen: AgentObservation) -> dict[str, Any]:
    now_s, _, due_s = seen.clock.tolist()
    promise_s = max(0.0, due_s - now_s) if np.isfinite(due_s) else NO_PROMISE
    return {
        "jobs": seen.jobs.copy(),
        "startable": seen.startable.astype(np.int8),
        "hosts": seen.hosts.copy(),
        "promise_s": np.array([promise_s]),
    }
