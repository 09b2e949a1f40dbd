// Every call without options is fulfilled with the same array, which is filled anew.
// Breaks: step 10.2.1
// Noticed by: get-tools.https.html

const list = [];
replace_method("getTools", (call, args) =>
  args.length > 0
    ? call(...args)
    : map(call(), (tools) => {
        list.splice(0, list.length, ...tools);
        return list;
      }),
);
