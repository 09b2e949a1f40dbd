// The names, ports and origins under which this server can be reached.

/** Returns the port of a Location or URL, also if it is the default port of the scheme. */
function get_port(loc) {
  return loc.port || { "http:": "80", "https:": "443" }[loc.protocol];
}

function get_host_info() {
  const scheme = self.location.protocol === "https:" ? "https" : "http";
  const ports = {
    http: ["{{ports[http][0]}}", "{{ports[http][1]}}"],
    https: ["{{ports[https][0]}}", "{{ports[https][1]}}"],
  };
  const host = "{{host}}";
  const remote = "{{domains[www1]}}";
  const other = "{{domains[www2]}}";
  const otherSite = "{{hosts[alt][]}}";
  const hostOfOtherSite = "{{hosts[alt][www2]}}";
  // The serialization of an origin leaves out the default port of the scheme.
  const elided = (scheme, port) => (port === get_port({ port: "", protocol: `${scheme}:` }) ? "" : `:${port}`);
  const origin = (scheme, name, port = ports[scheme][0]) => `${scheme}://${name}${elided(scheme, port)}`;

  return {
    HTTP_PORT: ports.http[0],
    HTTP_PORT2: ports.http[1],
    HTTPS_PORT: ports.https[0],
    HTTPS_PORT2: ports.https[1],
    HTTP_PORT_ELIDED: elided("http", ports.http[0]),
    HTTPS_PORT_ELIDED: elided("https", ports.https[0]),
    PORT: ports[scheme][0],
    PORT2: ports[scheme][1],
    ORIGINAL_HOST: host,
    REMOTE_HOST: remote,
    NOTSAMESITE_HOST: otherSite,

    ORIGIN: origin(scheme, host),
    REMOTE_ORIGIN: origin(scheme, remote),
    OTHER_ORIGIN: origin(scheme, other),
    HTTP_ORIGIN: origin("http", host),
    HTTP_ORIGIN_WITH_DIFFERENT_PORT: origin("http", host, ports.http[1]),
    HTTP_REMOTE_ORIGIN: origin("http", remote),
    HTTP_REMOTE_ORIGIN_WITH_DIFFERENT_PORT: origin("http", remote, ports.http[1]),
    HTTP_NOTSAMESITE_ORIGIN: origin("http", otherSite),
    HTTPS_ORIGIN: origin("https", host),
    HTTPS_ORIGIN_WITH_CREDS: origin("https", `foo:bar@${host}`),
    HTTPS_ORIGIN_WITH_DIFFERENT_PORT: origin("https", host, ports.https[1]),
    HTTPS_REMOTE_ORIGIN: origin("https", remote),
    HTTPS_REMOTE_ORIGIN_WITH_CREDS: origin("https", `foo:bar@${remote}`),
    HTTPS_REMOTE_ORIGIN_WITH_DIFFERENT_PORT: origin("https", remote, ports.https[1]),
    HTTPS_NOTSAMESITE_ORIGIN: origin("https", otherSite),
    HTTPS_OTHER_NOTSAMESITE_ORIGIN: origin("https", hostOfOtherSite),
    UNAUTHENTICATED_ORIGIN: origin("http", other),
    AUTHENTICATED_ORIGIN: origin("https", other),
  };
}
