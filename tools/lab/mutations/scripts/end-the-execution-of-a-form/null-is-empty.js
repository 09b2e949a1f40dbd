// Where there is no answer, a call gives the empty string.
// Breaks: step 5.1
// Noticed by: execute-navigation.https.html

change_outcome((result) => result ?? "");
