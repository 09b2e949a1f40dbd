export const notes = [];
export const note = (text) => notes.push(text);
