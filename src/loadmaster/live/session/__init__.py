"""The parts that all live runs have in common: the contract with an engine, the loop, the record, the check."""
