// The functions that tests expect in /common/utils.js.

/** Returns a new UUID. */
function token() {
  if (crypto.randomUUID) {
    return crypto.randomUUID();
  }
  // Insecure contexts do not have randomUUID().
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Returns the absolute URL of a relative one in this document. */
function make_absolute_url(location) {
  return new URL(location, document.baseURI).href;
}
