export const sizes = Object.freeze({ small: 24, large: 36 });
