// The origins to list from are parsed before the policy is asked: of both mistakes, theirs counts.
// Breaks: step 4
// Noticed by: permissions-policy-header.https.html

replace_method("getTools", (call, args) => {
  const { object, seen } = watch(args[0]);
  return map(call(...(args.length > 0 ? [object] : [])), undefined, (reason) => {
    const is_wrong = Array.isArray(seen.fromOrigins) && seen.fromOrigins.some((text) => !URL.canParse(text));
    throw is_exception(reason, "NotAllowedError") && is_wrong ? new DOMException("no URL", "SecurityError") : reason;
  });
});
