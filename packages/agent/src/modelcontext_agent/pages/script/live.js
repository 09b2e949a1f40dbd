// The script of a live page, in a world of its own beside the page's scripts. `link.changed` tells Python of a change.
import { call, cancel, list, watch } from "./tools.js";

link.answers = {
  call,
  cancel,
  list() {
    watch(link.changed);
    return list();
  },
};
