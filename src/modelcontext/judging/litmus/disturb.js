// Adds delays and load, so that orders show that are rare on an idle machine. Runs in every document before its scripts. Its
// effect depends only on the seed and the document's address, which has the number of the run in it.
//
// No delay changes a given order: scripts take longer but let nothing in between, and all timers of a document wait equally
// long.
/** @param {number} seed */
(seed) => {
  const { setTimeout, performance, Worker, Blob, URL, location } = window;
  let state = 2166136261;
  for (const character of `${seed} ${location.pathname}`) state = Math.imul(state ^ character.charCodeAt(0), 16777619);
  const random = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4294967296;
  };
  for (let i = 0; i < 8; i++) random();
  // One run in four is left alone.
  const run = Number(location.pathname.split("/")[1]);
  if (!(run % 4)) return;
  const block = (/** @type {number} */ milliseconds) => {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
  };
  // Every document has a pace of its own, so that each of them is ahead at times. Work in a browser takes some tenths of a
  // millisecond, or several milliseconds if a process has to wake up.
  const [often, longest] = [random(), [0.3, 1, 3, 10][Math.floor(random() * 4)]];
  window[Symbol.for("modelcontext.disturbance")] = {
    pause() {
      if (random() < often) block(random() * longest);
    },
    timeout: [0, 0, 1, 2, 4, 8][Math.floor(random() * 6)],
  };
  let left = random() < 0.5 ? 25 : 0;
  const delay = () => {
    block(random() * 5);
    if (left-- > 0) setTimeout(delay, random() * 6);
  };
  if (left) setTimeout(delay, random() * 10);
  if (random() < 0.4) {
    const work = `const end = Date.now() + ${Math.round(random() * 120)}; while (Date.now() < end); close();`;
    try {
      new Worker(URL.createObjectURL(new Blob([work])));
    } catch {
      // A document with an opaque origin may have no worker. Then there is less load.
    }
  }
};
