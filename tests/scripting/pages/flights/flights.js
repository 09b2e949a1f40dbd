const form = document.forms[0];
const results = document.getElementById("results");

const search = async (query) => {
  const { from, to, passengers } = Object.fromEntries(query);
  await new Promise((resolve) => setTimeout(resolve, 20));
  return ["08:15", "19:40"].map((time) => ({ time, route: `${from}-${to}`, seats: Number(passengers) }));
};

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const query = new FormData(form, event.submitter);
  const found = search(query).then((flights) => {
    results.replaceChildren(
      ...flights.map(({ time, route }) =>
        Object.assign(document.createElement("li"), { textContent: `${time} ${route}` }),
      ),
    );
    results.hidden = false;
    return { flights, query: new URLSearchParams(query).toString(), shown: results.innerText.length > 0 };
  });
  if (event.agentInvoked) event.respondWith(found);
});
