// META: title=Every origin of get-host-info.sub.js leads to this server, from a secure page, too
// META: script=/common/get-host-info.sub.js
// META: script=host-info.window.js
