export const questions = [
  { text: "How many legs has a spider?", choices: ["6", "8"], right: 1 },
  { text: "What is H2O?", choices: ["Water", "Salt"], right: 0 },
];
