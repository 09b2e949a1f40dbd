// The last button of the form is chosen, and not the first.
// Breaks: step 2
// Noticed by: execute-autosubmit.https.html

intercept_in_forms("submit", (event, form) => {
  const buttons = [...form.elements].filter((one) => one.type === "submit" && !one.matches(":disabled"));
  if (event.agentInvoked && form.hasAttribute("toolautosubmit") && buttons.length > 0) {
    Object.defineProperty(event, "submitter", { value: buttons.at(-1) });
  }
});
