"""The parts of HTML that the specification uses: origins, documents, navigables, event loops, tasks, policies, forms."""
