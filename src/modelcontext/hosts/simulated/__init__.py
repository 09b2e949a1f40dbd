"""The simulated host: it carries out the verbs in a deterministic world, with the packages of ``platform``."""
