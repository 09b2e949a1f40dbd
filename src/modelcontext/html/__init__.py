"""The parts of HTML that the specification uses: origins, documents, navigables, agents, event loops, tasks, policies."""
