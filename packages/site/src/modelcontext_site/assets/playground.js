// A link to an example goes on to the playground, if the page comes from a server.
const playground = /** @type {any} */ (document.getElementById("open"));
playground.href += location.hash;
if (location.protocol !== "file:" && location.hash) location.replace(playground.href);
