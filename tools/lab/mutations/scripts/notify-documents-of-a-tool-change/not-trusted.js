// The event is not trusted, as if a script had dispatched it.
// Breaks: step 6.6

intercept("toolchange", (event) => {
  drop(event);
  dispatch("toolchange");
});
