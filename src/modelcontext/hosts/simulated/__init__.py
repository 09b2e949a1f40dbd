"""The simulated host: the verbs in the deterministic world of the platform's packages."""
