// META: title=A script without a page
// META: script=support/helper.sub.js?of=query
test(() => {
  assert_equals(document.title, "A script without a page");
  assert_equals(host, "web-platform.test");
  assert_equals(query, "query");
  assert_true(GLOBAL.isWindow());
}, "wrapped");
