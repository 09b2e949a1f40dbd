const style = document.createElement("style");
style.textContent = `
  /* a comment { } */
  :root { --accent: rgb(1, 2, 3); }
  .hidden, .gone { display: none; }
  #p { visibility: hidden }
  p { visibility: visible; opacity: 0.5 !important; }
  div > p.strong { opacity: 1; position: relative; }
  @media (min-width: 10px) { input { pointer-events: none } }
  @media print { input { position: fixed } }
  ::nonsense(x) { display: none }
  [title="a,b"] { cursor: wait; }
  @font-face { font-family: x; src: url("data:;") }
`;
document.head.append(style);
const look = (element, name) => getComputedStyle(element).getPropertyValue(name);
log.push([look(p, "visibility"), look(p, "opacity"), look(p, "position"), look(p, "display")]);
p.className = "strong gone";
log.push([look(p, "opacity"), look(p, "position"), look(p, "display")]);
p.style.display = "flex";
p.style.opacity = "0.25";
log.push([look(p, "display"), look(p, "opacity")]);
log.push([look(i, "pointer-events"), look(i, "position")]);
root.title = "a,b";
log.push([look(root, "cursor"), look(p, "cursor"), getComputedStyle(i).pointerEvents]);
log.push([look(p, "--accent"), look(root, "--nothing"), getComputedStyle(p).accentColor]);
style.remove();
log.push([look(p, "visibility"), look(p, "--accent")]);
