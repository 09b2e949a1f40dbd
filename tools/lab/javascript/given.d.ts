// The parameters of the function whose body is prelude.js and a generated script (see hosts.py), and what frames.js keeps.

/** Takes a line. */
declare const put: (line: string) => void;
/** The one source of tasks that the script has. */
declare const family: "no tasks" | "timers" | "abort timeouts" | "messages to a port" | "messages to the window";

interface Window {
  /** The functions that take the lines of frames. */
  puts: ((line: string) => void)[];
}
