// The names, ports and origins under which this server can be reached.
function get_host_info() {
  const host = "{{host}}";
  const remote = "{{domains[www1]}}";
  const otherSite = "{{hosts[alt][]}}";
  const httpPort = "{{ports[http][0]}}";
  const httpPort2 = "{{ports[http][1]}}";
  const httpsPort = "{{ports[https][0]}}";
  const httpsPort2 = "{{ports[https][1]}}";
  const origin = (scheme, name, port) => new URL(`${scheme}://${name}:${port}`).origin;

  return {
    HTTP_PORT: httpPort,
    HTTP_PORT2: httpPort2,
    HTTPS_PORT: httpsPort,
    HTTPS_PORT2: httpsPort2,
    PORT: location.port,
    PORT2: location.protocol === "https:" ? httpsPort2 : httpPort2,
    ORIGINAL_HOST: host,
    REMOTE_HOST: remote,
    NOTSAMESITE_HOST: otherSite,

    ORIGIN: location.origin,
    HTTP_ORIGIN: origin("http", host, httpPort),
    HTTPS_ORIGIN: origin("https", host, httpsPort),
    HTTP_ORIGIN_WITH_DIFFERENT_PORT: origin("http", host, httpPort2),
    HTTPS_ORIGIN_WITH_DIFFERENT_PORT: origin("https", host, httpsPort2),
    HTTP_REMOTE_ORIGIN: origin("http", remote, httpPort),
    HTTPS_REMOTE_ORIGIN: origin("https", remote, httpsPort),
    HTTP_REMOTE_ORIGIN_WITH_DIFFERENT_PORT: origin("http", remote, httpPort2),
    HTTPS_REMOTE_ORIGIN_WITH_DIFFERENT_PORT: origin("https", remote, httpsPort2),
    HTTP_NOTSAMESITE_ORIGIN: origin("http", otherSite, httpPort),
    HTTPS_NOTSAMESITE_ORIGIN: origin("https", otherSite, httpsPort),
  };
}
