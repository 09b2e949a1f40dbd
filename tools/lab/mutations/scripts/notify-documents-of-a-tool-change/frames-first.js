// The documents of frames are notified before those that hold them.
// Breaks: step 6
// Noticed by: toolchange-frames.https.html

let held = 0;
intercept("toolchange", (event) => {
  if (document.querySelector("iframe") !== null) {
    drop(event);
    // The frames' events are in tasks that are queued already.
    ++held;
    later(() =>
      later(() => {
        --held;
        dispatch("toolchange");
      }),
    );
  }
});
