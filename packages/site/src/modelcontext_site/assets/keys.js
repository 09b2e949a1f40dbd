// The key / goes to the search, unless somebody is writing.
addEventListener("keydown", (event) => {
  const target = /** @type {any} */ (event.target);
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select"))
    return;
  event.preventDefault();
  /** @type {any} */ (document.querySelector("main input[type=search], header input[type=search]")).focus();
});
