const made = document.implementation.createHTMLDocument("T & t");
log.push([
  made.title,
  made.defaultView,
  made.body.childNodes.length,
  made.URL,
  made.readyState,
  made instanceof Document,
]);
const slash = "/";
const parsed = new DOMParser().parseFromString(
  `<p id=q onclick='x'>text<script>log.push('never')<${slash}script>`,
  "text/html",
);
log.push([
  parsed.body.innerHTML,
  parsed.getElementById("q").ownerDocument === parsed,
  parsed.location,
  parsed.head.nodeName,
]);
root.append(parsed.querySelector("p"));
log.push([root.lastChild.ownerDocument === document, root.lastChild.localName]);
const xml = document.implementation.createDocument("urn:x", "a", null);
log.push([xml.documentElement.localName, xml.documentElement.namespaceURI, document.implementation.hasFeature()]);
const fragment = document.createDocumentFragment();
fragment.append(document.createElement("b"), "t");
log.push([fragment.firstElementChild.localName, fragment.childElementCount, fragment.getElementById("no")]);
threw(() => new DOMParser().parseFromString("", "text/other"));
