"""Names under which earlier versions wrote classes into results, and where these classes stand now."""

FORMER = {
    "loadmaster.measure.beside:Beside": "loadmaster.measure.run_diagnostics:RunDiagnostics",
    "loadmaster.measure.explained:RoomOverTime": "loadmaster.measure.queueing_check:RoomOverTime",
    "loadmaster.measure.likeness:Likeness": "loadmaster.measure.goodness_of_fit:GoodnessOfFit",
    "loadmaster.measure.likeness:WeekByWeek": "loadmaster.measure.goodness_of_fit:WeekByWeek",
    "loadmaster.measure.likeness:Weekly": "loadmaster.measure.goodness_of_fit:Weekly",
    "loadmaster.measure.paired:Difference": "loadmaster.measure.paired_comparison:Difference",
    "loadmaster.measure.recorded:Recorded": "loadmaster.measure.recorded_metrics:Recorded",
    "loadmaster.measure.steady:Steady": "loadmaster.measure.steady_state:Steady",
    "loadmaster.measure.sure_best:Verdict": "loadmaster.measure.best_rule:Verdict",
    "loadmaster.measure.waiting:Metrics": "loadmaster.measure.queue_metrics:Metrics",
    "loadmaster.measure.who_waits:Fairness": "loadmaster.measure.group_waits:Fairness",
    "loadmaster.measure.who_waits:Groups": "loadmaster.measure.group_waits:Groups",
    "loadmaster.runs.again:Again": "loadmaster.runs.rerun:Rerun",
    "loadmaster.site.fitted:FittedSite": "loadmaster.site.fitted_queue:FittedSite",
    "loadmaster.site.fitted:SiteQueue": "loadmaster.site.fitted_queue:SiteQueue",
    "loadmaster.tuning.asking:TriedRule": "loadmaster.tuning.suggestions:TriedRule",
    "loadmaster.tuning.seen_whole:Whole": "loadmaster.tuning.full_log_run:FullLogRun",
    "loadmaster.tuning.unseen:Ablation": "loadmaster.tuning.holdout:Ablation",
    "loadmaster.tuning.unseen:Gain": "loadmaster.tuning.holdout:Gain",
    "loadmaster.tuning.unseen:Unseen": "loadmaster.tuning.holdout:Holdout",
}
"""{module:class as it was written: module:class that is made again of it}; the fields of each are the same."""


def name_now(written: str) -> str:
    """The present name of a class that a result names.

    Example:
        >>> name_now("loadmaster.measure.waiting:Metrics")
        'loadmaster.measure.queue_metrics:Metrics'
    """
    return FORMER.get(written, written)
