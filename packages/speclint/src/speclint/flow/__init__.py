"""The flow of control of algorithms: routines, their graphs, conditions, and the state at each node."""
