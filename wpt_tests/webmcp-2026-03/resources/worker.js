// Says which names of the API a worker has.
postMessage({
  secure: isSecureContext,
  accessor: "modelContext" in navigator,
  interfaces: ["ModelContext", "ModelContextClient"].filter((name) => name in self),
});
