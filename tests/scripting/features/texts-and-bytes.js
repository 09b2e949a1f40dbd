log.push([btoa("a"), btoa("\u00ff\u0000b"), btoa(""), atob(" YW I= "), atob("YWI")]);
for (const wrong of ["a", "a===", "\u00e4", "=aaa"]) threw(() => atob(wrong));
threw(() => btoa("\u0100"));
const bytes = new TextEncoder().encode("a\u00e4\u20ac\u{1f600}\ud800");
log.push([...bytes]);
log.push(new TextDecoder().decode(bytes), new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x61]).buffer));
for (const wrong of [[0xc3], [0xc3, 0x28], [0xe2, 0x82], [0xf0, 0x9f, 0x98, 0x41], [0xc0, 0x80], [0xed, 0xa0, 0x80]]) {
  log.push([...new TextDecoder().decode(new Uint8Array(wrong))].map((one) => one.codePointAt(0)));
  threw(() => new TextDecoder("utf8", { fatal: true }).decode(new Uint8Array(wrong)));
}
const decoder = new TextDecoder();
log.push([[0xe2], [0x82, 0xac], []].map((part, index) => decoder.decode(new Uint8Array(part), { stream: index < 2 })));
log.push(new TextEncoder().encodeInto("a\u20acb", new Uint8Array(4)));
