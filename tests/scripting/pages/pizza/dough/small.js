export default (width) => Math.round(width ** 2 / 60);
