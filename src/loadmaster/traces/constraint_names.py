"""What may bind the jobs of a log, in words. Light to load: the list of all that can be named reads it."""

from loadmaster.model.constraints import STATUSES

CONSTRAINT_COLUMNS = {
    "eligible_s": "when the job may start at first, as submit_s; inf if never",
    "partition": "the name of where it may run, or several joined by commas",
    "qos": "quality of service, a name",
    "name": "what its user calls the job",
    "gpu_kind": "the model of its GPUs",
    "features": "of its hosts, joined by & and |",
    "licences": "held while it runs, of the whole cluster: matlab:2,bb/scratch:500G",
    "reservation": "the name of that in which it runs",
    "depends": "as Slurm writes it: afterok:12,afterany:13",
    "follows": "the number of the job that must end before it is submitted",
    "think_s": "seconds after that end",
    "priority": "higher is more urgent",
    "nice": "taken off the priority",
    "hold": "none, user, admin",
    "array": "the array of which it is a task, a whole number",
    "array_task": "the number of the task",
    "throttle": "so many tasks of the array at once",
    "exclusive": "the jobs that it shares its hosts with: none, user, host",
    "requeue": "whether it may go back to the queue: true, false",
    "min_hosts": "so many hosts at least",
    "max_hosts": "so many hosts at most",
    "restarts": "how often it went back",
    "status": ", ".join(STATUSES),
    "limit_s": "the runtime at which it is killed",
}
"""Every column of constraints and what it holds."""
