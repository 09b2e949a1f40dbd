// In the place of page/realm/hub.js.
export const { hub } = api;
