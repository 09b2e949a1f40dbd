// META: title=Every origin of get-host-info.sub.js leads to this server
// META: script=/common/get-host-info.sub.js

const info = get_host_info();

const answers = (name) => new Promise((resolve) => {
  addEventListener("message", ({ data, origin }) => {
    if (data === `#${name}`) {
      resolve(origin);
    }
  });
});

for (const name of Object.keys(info).filter((name) => /ORIGIN(?!AL)/.test(name))) {
  promise_test(async () => {
    const answer = answers(name);
    const popup = open(`${info[name]}/driven/support/answer.html#${name}`);
    assert_equals(await answer, new URL(info[name]).origin);
    popup.close();
  }, name);
}

test(() => {
  const { hostname, port, protocol, origin } = location;
  const scheme = protocol === "https:" ? "HTTPS" : "HTTP";
  assert_array_equals([info.ORIGINAL_HOST, info.PORT, get_port(location)], [hostname, port, port]);
  assert_array_equals([info.ORIGIN, info[`${scheme}_ORIGIN`], info.PORT2], [origin, origin, info[`${scheme}_PORT2`]]);
  assert_equals(get_port(new URL("https://a.test")), "443");
  assert_equals(get_port(new URL("http://a.test")), "80");
}, "The scheme and the port are those of the page");

test(() => {
  const ports = ["HTTP_PORT", "HTTP_PORT2", "HTTPS_PORT", "HTTPS_PORT2"].map((name) => info[name]);
  assert_equals(new Set(ports).size, 4);
  assert_array_equals([info.HTTP_PORT_ELIDED, info.HTTPS_PORT_ELIDED], [`:${info.HTTP_PORT}`, `:${info.HTTPS_PORT}`]);
  const origins = ["ORIGIN", "REMOTE_ORIGIN", "OTHER_ORIGIN", "HTTPS_NOTSAMESITE_ORIGIN", "HTTPS_OTHER_NOTSAMESITE_ORIGIN"];
  assert_equals(new Set(origins.map((name) => info[name])).size, 5);
  assert_equals(new URL(info.HTTPS_NOTSAMESITE_ORIGIN).hostname, info.NOTSAMESITE_HOST);
  assert_equals(new URL(info.REMOTE_ORIGIN).hostname, info.REMOTE_HOST);
}, "What has two names is two things");
