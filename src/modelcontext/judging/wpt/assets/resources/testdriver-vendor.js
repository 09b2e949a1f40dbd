// Passes the actions of testdriver.js to the driver of this browser. An action that it cannot do rejects.
{
  const drive = async (context, request) => {
    const ask = (context ?? window).modelcontextDrive;
    if (ask === undefined) {
      throw new Error("this browser has no driver");
    }
    await ask(request);
  };

  Object.assign(window.test_driver_internal, {
    in_automation: typeof window.modelcontextDrive === "function",
    // A browser without boxes clicks the element itself.
    click: (element, { x, y }) => {
      const view = element.ownerDocument.defaultView;
      return view.modelcontextDrive?.click?.(element) ?? drive(view, { action: "click", x, y });
    },
    send_keys: async (element, keys) => {
      element.focus();
      await drive(element.ownerDocument.defaultView, { action: "send_keys", keys: Array.from(keys) });
    },
    set_permission: ({ descriptor, state }, context) =>
      drive(context, { action: "set_permission", descriptor, state, origin: (context ?? window).origin }),
    delete_all_cookies: (context) => drive(context, { action: "delete_all_cookies" }),
  });
}
