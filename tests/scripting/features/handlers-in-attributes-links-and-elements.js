root.innerHTML =
  "<form id=f name=n onsubmit='log.push([this === root.firstChild, event.type, typeof n, method]); return false'>" +
  "<button onclick='log.push([form.name, typeof querySelector, event.target === this])'></button></form>" +
  "<a id=a href='https://x.test/y?q#h' target=_blank onclick='event.preventDefault()'>link</a><img id=m src=no.png onerror=''>";
f.querySelector("button").click();
log.push([typeof f.onsubmit, f.onsubmit.name]);
const [a] = root.getElementsByTagName("a");
a.click();
log.push([a.search, a.hash, a.text, a.target, `${a}`.slice(-8), a instanceof HTMLAnchorElement]);
const option = new Option("text", "value", true, true);
log.push([option.text, option.value, option.selected, option.defaultSelected, option instanceof HTMLOptionElement]);
log.push([
  new Image(1, 2) instanceof HTMLImageElement,
  root instanceof HTMLDivElement,
  document.body instanceof HTMLBodyElement,
]);
log.push([
  p.toggleAttribute("x", true),
  p.toggleAttribute("x", true),
  p.toggleAttribute("x", false),
  p.childElementCount,
]);
log.push([atob.name, confirm("?"), prompt("?")]);
// An element that is appended to the document of a frame, by a function of that frame.
const frame = document.createElement("iframe");
root.append(frame);
const chooser = document.createElement("select");
chooser.innerHTML = "<option>1<option selected>2";
frame.contentDocument.body.append(chooser, "text");
log.push([chooser.ownerDocument === frame.contentDocument, frame.contentDocument.body.childNodes.length]);
log.push([chooser.selectedIndex, frame.contentDocument.body.lastChild.data]);
