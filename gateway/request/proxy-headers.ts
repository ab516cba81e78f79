import type { IncomingHttpHeaders } from 'node:http';

/**
 * Headers that a proxy, load balancer or content delivery network adds to a request. A request with any of them does
 * not count as direct, even if the client itself added it. Names are in lower case, as Node has them over HTTP/1 and
 * HTTP/2. Tracing headers (`traceparent`, `x-amzn-trace-id`) are absent: clients send them too.
 */
const NAMES: ReadonlySet<string> = new Set([
  'forwarded', // RFC 7239
  'via', // RFC 9110 section 7.6.3
  'cdn-loop', // RFC 8586
  'surrogate-capability', // W3C Edge Architecture Specification
  'x-forwarded', // older names of the family x-forwarded-…
  'x-forwarded-for',
  'x-forward-for',
  'forwarded-for',
  'x-real-ip', // nginx, Traefik
  'x-scheme', // ingress-nginx
  'x-nginx-proxy', // widespread nginx configurations
  'x-cluster-client-ip', // Rackspace, Riverbed, Zeus
  'x-client-ip', // Apache httpd (mod_remoteip), Heroku
  'client-ip',
  'x-host', // Apache Traffic Server and other gateways
  'x-remote-ip',
  'x-remote-addr',
  'x-originating-ip',
  'x-true-client-ip',
  'true-client-ip', // Akamai, Cloudflare
  'x-sucuri-clientip', // Sucuri
  'incap-client-ip', // Imperva
  'x-proxyuser-ip', // Google services
  'do-connecting-ip', // DigitalOcean App Platform
  'x-nf-client-connection-ip', // Netlify
  'proxy-client-ip', // Oracle WebLogic
  'wl-proxy-client-ip',
  'wl-proxy-ssl',
  'front-end-https', // Microsoft ISA Server, Exchange
  'x-url-scheme',
  'x-varnish', // Varnish
  'x-bluecoat-via', // Symantec ProxySG
]);

/** Prefixes of header families whose members differ by product and version. */
const FAMILIES: ReadonlySet<string> = new Set([
  'x-forwarded-', // de facto: -for, -host, -proto, -port, -server, -scheme, -ssl, -prefix …
  'x-original-', // ingress-nginx (-forwarded-for), ASP.NET Core (-for, -proto), Azure Application Gateway (-host)
  'x-envoy-', // Envoy: -external-address, -internal …
  'x-azure-', // Azure Front Door: -clientip, -socketip, -fdid, -ref
  'x-arr-', // Microsoft Application Request Routing
  'x-appengine-', // Google App Engine: -user-ip …
  'x-vercel-', // Vercel: -forwarded-for …
  'fly-', // Fly.io: -client-ip, -forwarded-proto, -forwarded-port …
  'cf-', // Cloudflare: -connecting-ip, -connecting-ipv6, -ray, -visitor …
  'cloudfront-', // Amazon CloudFront: -viewer-address, -forwarded-proto …
  'fastly-', // Fastly: -client-ip, -ff, -ssl
]);

/** Whether any header shows a proxy between client and service. */
export function hasProxyHeader(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) {
    // Most names start with another letter: 0.26 µs a request, 0.57 without this check.
    if (FIRST_LETTERS[name.charCodeAt(0)] === 1 && (NAMES.has(name) || isOfFamily(name))) return true;
  }
  return false;
}

const FIRST_LETTERS = new Uint8Array(128);
for (const name of [...NAMES, ...FAMILIES]) FIRST_LETTERS[name.charCodeAt(0)] = 1;

function isOfFamily(name: string): boolean {
  const hyphen = name.indexOf('-', name.startsWith('x-') ? 2 : 0);
  return hyphen !== -1 && FAMILIES.has(name.slice(0, hyphen + 1));
}
