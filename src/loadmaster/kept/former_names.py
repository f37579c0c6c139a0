"""Names under which earlier versions wrote classes into results, and where these classes stand now."""

FORMER = {
    "loadmaster.measure.run_diagnostics:Beside": "loadmaster.measure.run_diagnostics:RunDiagnostics",
    "loadmaster.measure.queueing_check:RoomOverTime": "loadmaster.measure.queueing_check:RoomOverTime",
    "loadmaster.measure.goodness_of_fit:Likeness": "loadmaster.measure.goodness_of_fit:GoodnessOfFit",
    "loadmaster.measure.goodness_of_fit:WeekByWeek": "loadmaster.measure.goodness_of_fit:WeekByWeek",
    "loadmaster.measure.goodness_of_fit:Weekly": "loadmaster.measure.goodness_of_fit:Weekly",
    "loadmaster.measure.paired_comparison:Difference": "loadmaster.measure.paired_comparison:Difference",
    "loadmaster.measure.recorded_metrics:Recorded": "loadmaster.measure.recorded_metrics:Recorded",
    "loadmaster.measure.steady_state:Steady": "loadmaster.measure.steady_state:Steady",
    "loadmaster.measure.best_rule:Verdict": "loadmaster.measure.best_rule:Verdict",
    "loadmaster.measure.queue_metrics:Metrics": "loadmaster.measure.queue_metrics:Metrics",
    "loadmaster.measure.group_waits:Fairness": "loadmaster.measure.group_waits:Fairness",
    "loadmaster.measure.group_waits:Groups": "loadmaster.measure.group_waits:Groups",
    "loadmaster.runs.rerun:Again": "loadmaster.runs.rerun:Rerun",
    "loadmaster.site.fitted_queue:FittedSite": "loadmaster.site.fitted_queue:FittedSite",
    "loadmaster.site.fitted_queue:SiteQueue": "loadmaster.site.fitted_queue:SiteQueue",
    "loadmaster.tuning.suggestions:TriedRule": "loadmaster.tuning.suggestions:TriedRule",
    "loadmaster.tuning.full_log_run:Whole": "loadmaster.tuning.full_log_run:FullLogRun",
    "loadmaster.tuning.holdout:Ablation": "loadmaster.tuning.holdout:Ablation",
    "loadmaster.tuning.holdout:Gain": "loadmaster.tuning.holdout:Gain",
    "loadmaster.tuning.holdout:Unseen": "loadmaster.tuning.holdout:Holdout",
}
"""{module:class as it was written: module:class that is made again of it}; the fields of each are the same."""


def name_now(written: str) -> str:
    """The present name of a class that a result names.

    Example:
        >>> name_now("loadmaster.measure.queue_metrics:Metrics")
        'loadmaster.measure.queue_metrics:Metrics'
    """
    return FORMER.get(written, written)
