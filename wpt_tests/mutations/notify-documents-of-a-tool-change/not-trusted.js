// The event is not trusted, as if a script had dispatched it.
// Breaks: step 5.5

intercept("toolchange", (event) => {
  drop(event);
  dispatch("toolchange");
});
