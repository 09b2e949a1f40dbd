"""What the specification uses of HTML: origins, documents, navigables, agents, event loops, tasks, policies."""
