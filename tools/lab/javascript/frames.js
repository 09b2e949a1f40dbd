/* Runs scripts, each in a frame of its own, and returns the lines that each has written once all are quiet. */
async (/** @type {{ sources: string[], quiet: number }} */ { sources, quiet }) => {
  /** @type {string[][]} */
  const lines = sources.map(() => []);
  self.puts = lines.map((own) => (line) => own.push(line));
  const frames = sources.map((source) => {
    const frame = document.createElement("iframe");
    frame.srcdoc = source;
    return frame;
  });
  const loaded = frames.map((frame) => new Promise((resolve) => frame.addEventListener("load", resolve)));
  document.body.append(...frames);
  await Promise.all(loaded);
  const count = () => lines.reduce((sum, own) => sum + own.length, 0);
  for (let before = -1; before !== count(); ) {
    before = count();
    await new Promise((resolve) => setTimeout(resolve, quiet));
  }
  for (const frame of frames) frame.remove();
  return lines;
};
