"""What everything that is live has in common: the contract with an engine, the loop, the record, the check."""
