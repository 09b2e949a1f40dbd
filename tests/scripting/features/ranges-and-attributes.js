root.innerHTML = "<p id=p>one <b>two</b> three</p><p id=q>four</p>";
const [first, second] = root.children;
const range = document.createRange();
log.push([range.collapsed, range.startContainer === document, String(range)]);
range.selectNodeContents(first);
log.push([range.startOffset, range.endOffset, range.collapsed, range.commonAncestorContainer === first, `${range}`]);
range.setStart(first.firstChild, 2);
range.setEnd(first.firstChild, 3);
range.insertNode(document.createElement("i"));
log.push([first.innerHTML, first.childNodes.length, range.endOffset]);
range.selectNode(second);
log.push([range.startContainer === root, range.startOffset, range.endOffset]);
range.setStartAfter(second);
log.push([range.collapsed, range.startOffset]);
range.setEndBefore(first);
log.push([range.collapsed, range.startOffset]);
const copy = range.cloneRange();
copy.selectNodeContents(second);
const wrapper = document.createElement("em");
copy.surroundContents(wrapper);
log.push([second.innerHTML, copy.startContainer === second, copy.endOffset]);
copy.selectNodeContents(wrapper);
log.push([copy.cloneContents().textContent, copy.extractContents().childNodes.length, wrapper.outerHTML]);
range.selectNodeContents(root);
const fragment = range.createContextualFragment("<u>x</u><script>log.push(['ran'])</" + "script>");
log.push([fragment.childNodes.length]);
root.append(fragment);
threw(() => range.setStart(root, 99));
threw(() => range.selectNode(document));
log.push([Object.prototype.toString.call(range), typeof range.detach]);

root.setAttributeNS("urn:x", "x:id", "other");
log.push([root.id, root.getAttributeNS("urn:x", "id"), root.hasAttributeNS("urn:x", "nothing")]);
root.removeAttributeNS("urn:x", "id");
root.setAttributeNS(null, "title", "t");
log.push([root.getAttributeNS("urn:x", "id"), root.title]);
root.attributes.title.value = "u";
const attribute = root.getAttributeNode("title");
log.push([root.title, attribute.name, attribute.value, attribute.ownerElement === root, root.getAttributeNode("no")]);
root.setHTMLUnsafe(
  "<div><template shadowrootmode=open><slot></slot><div><template shadowrootmode=closed>in</template></div></template>text</div>",
);
const [host] = root.children;
log.push([host.shadowRoot.innerHTML.length, host.childNodes.length, host.shadowRoot.querySelector("div").shadowRoot]);

root.innerHTML =
  "<form><input name=10><input name=length><input name=item value=v><input id=x name=y><input name=y></form>";
const { elements } = root.querySelector("form");
log.push([elements.length, elements[1].name, typeof elements.item, elements.x.name, elements.y.length, elements[10]]);
log.push([elements.namedItem("item").value, [...elements].length, elements.item(9), typeof elements.map]);
log.push([Object.prototype.toString.call(elements) === "[object HTMLFormControlsCollection]"]);
