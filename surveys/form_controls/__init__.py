"""Every form control there is: what it becomes in a schema, and what values do to it, by the model and by products."""
