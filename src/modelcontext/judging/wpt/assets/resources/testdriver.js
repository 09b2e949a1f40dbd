// The actions of a user that tests ask for. testdriver-vendor.js implements them.
{
  const centre = (element) => {
    const { left, top, right, bottom } = element.getClientRects()[0] ?? element.getBoundingClientRect();
    const { innerWidth, innerHeight } = element.ownerDocument.defaultView;
    const middle = (from, to, size) => Math.floor((Math.max(0, from) + Math.min(size, to)) / 2);
    return { x: middle(left, right, innerWidth), y: middle(top, bottom, innerHeight) };
  };

  window.test_driver_internal = { in_automation: false };

  window.test_driver = {
    /** Clicks the middle of an element of this document, or of one that it can reach. */
    async click(element) {
      if (!element.isConnected) {
        throw new Error("element to click is not in a document");
      }
      element.scrollIntoView({ behavior: "instant", block: "end", inline: "nearest" });
      await window.test_driver_internal.click(element, centre(element));
    },

    /** Runs a function with user activation of a window that this one can reach, and is fulfilled with its result. */
    async bless(intent, action, context = window) {
      const { document } = context ?? window;
      const button = document.createElement("button");
      button.textContent = `This test needs a click, to ${intent}.`;
      document.body.append(button);
      try {
        const clicked = new Promise((resolve) => {
          button.onclick = resolve;
        });
        await window.test_driver.click(button);
        await clicked;
      } finally {
        button.remove();
      }
      return action?.();
    },

    /** Types keys into an element; keys that are not characters are code points of WebDriver. */
    async send_keys(element, keys) {
      if (!element.isConnected) {
        throw new Error("element to send keys to is not in a document");
      }
      await window.test_driver_internal.send_keys(element, keys);
    },

    /** Sets a permission ("granted", "denied" or "prompt") for the origin of a window. */
    async set_permission(descriptor, state, context = null) {
      await window.test_driver_internal.set_permission({ descriptor, state }, context);
    },

    /** Deletes all cookies, of every origin. */
    async delete_all_cookies(context = null) {
      await window.test_driver_internal.delete_all_cookies(context);
    },
  };
}
