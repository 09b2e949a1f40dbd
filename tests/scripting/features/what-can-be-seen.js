root.innerHTML =
  "<div id=a style='display:none'><b id=b></b></div><div id=c hidden></div><i id=d style='visibility:hidden'><u id=e></u></i>" +
  "<dialog id=g></dialog><template id=h></template><button id=j></button><li id=k>";
for (const one of root.querySelectorAll("[id]")) {
  const { display, visibility } = getComputedStyle(one);
  log.push([one.id, display, visibility, getComputedStyle(one).getPropertyValue("visibility")]);
}
const [g] = document.getElementsByTagName("dialog");
g.showModal();
log.push([g.open, getComputedStyle(g).display]);
g.showModal();
const closed = new Promise((resolve) => {
  g.onclose = null;
  g.addEventListener("close", resolve);
});
g.close("done");
log.push([g.open, g.returnValue]);
await closed;
log.push([
  matchMedia("(max-width: 100px)").matches,
  matchMedia("(min-width: 100px) and (orientation: landscape)").media,
]);
