// In the place of page/realm/service.js.
export const { interfaces, service } = api;
