root.innerHTML = `<ul class="a b" lang=en><li id=one data-x="Pe a-r">1</li><li class="b"><i></i><b></b></li><li>3</li><li></li></ul>
  <form id=f><input id=r required><input id=c type=checkbox checked><input id=d disabled>
  <select><option id=o selected>x</option></select><a id="x:y" href=#>link</a><p id=e><!-- c --></p></form>`;
const all = [
  "li:not(.b)",
  "li:not(.b, #one)",
  ":is(ul, form) > :first-child",
  "li:where(.b) i",
  "li + li",
  "li ~ .b",
  "ul>li",
  "li:nth-child(2)",
  "li:nth-child(odd)",
  "li:nth-child(-n + 2)",
  "li:nth-last-child(2)",
  "i:only-of-type",
  "li:last-of-type",
  "[data-x^=pe]",
  "[data-x^='pe' i]",
  "[data-x~='a-r']",
  "[data-x*=' ']",
  "[class~=b]",
  "[lang|=en] li:empty",
  "#x\\:y",
  "[id='x:y']",
  "a[href]:any-link",
  ":checked",
  "form :disabled",
  "form :enabled",
  ":required",
  "input:optional",
  "form:invalid",
  "input:valid",
  "ul:has(> li.b b)",
  "li:has(+ .b)",
  "*:root",
  "LI.b",
  "p:empty",
  "option:checked",
  "b, i",
  " li:not( .b ):last-child ",
];
for (const one of all) log.push([one, [...document.querySelectorAll(one)].map((node) => node.id || node.localName)]);
const ul = root.firstChild;
log.push([
  [...ul.querySelectorAll(":scope > li")].length,
  ul.querySelector(":scope > i"),
  one.closest("ul:not(form *)").localName,
]);
for (const wrong of ["", "li >", ":unknown", "li:not(", "[x", "li,,b", "::", "p:nth-child(x)"])
  threw(() => root.querySelector(wrong));
log.push([CSS.escape("1a b:-"), CSS.escape("-1"), CSS.escape("-")]);
