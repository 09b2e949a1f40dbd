// Pages that go into the back/forward cache and come back. A page can only go there if nobody holds its window, so it is told what
// to do over a BroadcastChannel.

class CachedPage {
  /** Opens a page that is closed when the test is over, and waits until it is shown. */
  static async open(t) {
    const page = new CachedPage();
    const shown = page.next("shown");
    window.open(page.url, "_blank", "noopener");
    t.add_cleanup(() => {
      page.channel.postMessage({ id: "close", source: "() => { close(); }", args: [] });
      page.channel.close();
    });
    await shown;
    return page;
  }

  constructor() {
    const name = crypto.randomUUID();
    this.url = new URL(`/webmcp/resources/bfcache.html?channel=${name}`, location.origin).href;
    this.channel = new BroadcastChannel(name);
    this.count = 0;
  }

  /** The next message with this id. */
  next(id) {
    return new Promise((resolve) => {
      this.channel.addEventListener("message", function listener({ data }) {
        if (data.id === id && data.source === undefined) {
          this.removeEventListener("message", listener);
          resolve(data);
        }
      });
    });
  }

  /** Calls a function in the page, as remote() in helpers.js does. */
  async run(callback, ...args) {
    const id = ++this.count;
    const answer = this.next(id);
    this.channel.postMessage({ id, source: String(callback), args });
    const { value, error } = await answer;
    if (error !== undefined) {
      throw Object.assign(new Error(error.message), { name: error.name });
    }
    return value;
  }

  /** Calls a function in the page that takes it away, so that no answer can be expected. */
  tell(callback, ...args) {
    this.channel.postMessage({ source: String(callback), args });
  }

  /**
   * Calls a function in the page, in the same script navigates it to another document, and goes back. Fails the precondition
   * of the test if the page was not kept in the cache.
   */
  async leave_and_return(last_of_all = () => {}) {
    const away = this.next("shown");
    this.tell(`(url) => { (${last_of_all})(); location.href = url; }`, `${this.url}&away`);
    await away;
    const back = this.next("shown");
    this.tell(() => history.back());
    const { persisted } = (await back).value;
    assert_implements_optional(persisted, "the page is kept in the back/forward cache");
  }
}
