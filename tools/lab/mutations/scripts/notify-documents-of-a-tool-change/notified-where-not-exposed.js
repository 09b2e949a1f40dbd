// Documents of other origins are notified also of tools that are not exposed to them.
// Breaks: step 6.5
// Noticed by: toolchange-cross-origin.https.html

after_registration(({ exposedTo }) => {
  if (!(exposedTo?.length > 0)) {
    for (const other of windows_of_the_tab()) {
      tell(other, { from: location.origin });
    }
  }
});
listen(({ from }) => {
  if (from !== location.origin) {
    dispatch("toolchange");
  }
});
