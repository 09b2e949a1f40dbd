// Removes the API, as if the browser did not have it.
delete Document.prototype.modelContext;
delete Navigator.prototype.modelContext;
for (const name of ["ModelContext", "ToolActivatedEvent", "ToolCancelEvent", "ModelContextClient"]) {
  delete self[name];
}
delete SubmitEvent.prototype.agentInvoked;
delete SubmitEvent.prototype.respondWith;
