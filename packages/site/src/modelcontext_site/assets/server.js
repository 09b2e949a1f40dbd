// What needs a server says so if the page comes from a file.
const comesFrom = location.protocol === "file:" ? "file" : "server";
for (const element of /** @type {NodeListOf<any>} */ (document.querySelectorAll("[data-from]")))
  element.hidden = element.dataset.from !== comesFrom;
