// The origins to expose the tool to are parsed before the signal is looked at: of both mistakes, theirs counts.
// Breaks: step 15
// Noticed by: register-tool-precedence.https.html

replace_in_registration(
  {},
  {
    signal: (signal, seen) => {
      const { exposedTo } = seen;
      const is_wrong = Array.isArray(exposedTo) && exposedTo.some((text) => !URL.canParse(text));
      return is_wrong && is_signal(signal) && signal.aborted ? undefined : signal;
    },
  },
);
