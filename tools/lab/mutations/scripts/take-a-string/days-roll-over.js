// A day that a month has not is one of the next month.
// Breaks: step 4
// Noticed by: execute-input-dates.https.html

change_values((value, members) => {
  if (members[0]?.type !== "date" || !/^\d{4}-\d\d-(29|3[01])$/.test(value)) {
    return value;
  }
  const [year, month, day] = value.split("-").map(Number);
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
});
