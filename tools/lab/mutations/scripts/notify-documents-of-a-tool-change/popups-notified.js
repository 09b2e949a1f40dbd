// Documents in other tabs that the page has opened are notified as well.
// Breaks: step 4
// Noticed by: popups.https.html

const popups = [];
const { open } = self;
self.open = (...args) => {
  const popup = open(...args);
  popups.push(popup);
  return popup;
};
after_registration(() => {
  for (const popup of popups) {
    try {
      dispatch("toolchange", {}, popup.document.modelContext);
    } catch {
      // It is closed, or of another origin.
    }
  }
});
