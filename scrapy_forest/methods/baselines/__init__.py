"""The paper's own baselines."""
