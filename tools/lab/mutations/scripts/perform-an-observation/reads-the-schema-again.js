// An observation reads the page's own schema object. No page sees what an agent observes; it sees that getters and toJSON() of the schema run once more.
// Breaks: step 5.3
// Seen through: dom-modelcontext-registertool
// Noticed by: register-tool-member-order.https.html

after_registration(({ inputSchema }) => {
  if (is_object(inputSchema)) {
    later(() => JSON.stringify(inputSchema));
  }
});
