"""One model of hosts, tasks, constraints and costs: placement under rules, a plain evaluator, a search, a bound."""
