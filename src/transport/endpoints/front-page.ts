import { createHash } from "node:crypto";
import { mediaRanges } from "../request/accept.ts";
import { CONSOLE_PATH } from "./console.ts";
import type { PageHandler } from "./endpoint.ts";
import { page, pageAnswer } from "./page.ts";
import { HEALTHZ_PATH } from "./probes.ts";

export const FRONT_PAGE_PATH = "/";

const DESCRIPTION =
  "The access layer of a multi-tenant platform: API keys, end users' tokens and dashboard users in, one verified caller out.";

interface Place {
  /** Its member in the JSON. */
  readonly name: string;
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

const PLACES: readonly Place[] = [
  { name: "console", path: CONSOLE_PATH, title: "Console", text: "for a tenant's people: keys, usage, members" },
  { name: "documentation", path: "/docs", title: "API reference", text: "every operation, with a form to try it" },
  { name: "errors", path: "/docs/errors", title: "Errors", text: "each reason, its cause and its remedy" },
  { name: "openapi", path: "/openapi.json", title: "OpenAPI document", text: "the same for programs" },
  { name: "health", path: HEALTHZ_PATH, title: "Health", text: "whether the process is alive" },
];

const STYLE = `:root {
  color-scheme: light dark;
  font: 1rem / 1.5 system-ui, sans-serif;
}
body {
  max-width: 40rem;
  margin: 0 auto;
  padding: 3rem 1.5rem;
}
h1 {
  margin: 0;
  font-size: 1.5rem;
}
li {
  margin: 0.5rem 0;
}
`;

/** Nothing is loaded, and nothing runs. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** `/`: says what the service is and where to go, as far as `paths` are served on this port. HTML for browsers, else JSON. */
export function createFrontPage(paths: readonly string[]): PageHandler {
  const places = PLACES.filter(({ path }) => paths.includes(path));
  const html = page("text/html; charset=utf-8", htmlOf(places), {
    vary: "Accept",
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "referrer-policy": "no-referrer",
  });
  const json = page("application/json", jsonOf(places), { vary: "Accept" });
  return ({ headers }) => pageAnswer(prefersHtml(headers.accept) ? html : json, headers["if-none-match"]);
}

/** Browsers name HTML. A client that accepts anything, such as curl, gets JSON. */
function prefersHtml(accept = ""): boolean {
  const ranges = mediaRanges(accept);
  const qualityOf = (type: string): number =>
    Math.max(0, ...ranges.filter((range) => range.type === type).map(({ quality }) => quality));
  return qualityOf("text/html") > qualityOf("application/json");
}

function jsonOf(places: readonly Place[]): string {
  const links = Object.fromEntries(places.map(({ name, path }) => [name, path]));
  return JSON.stringify({ name: "Latchkey", description: DESCRIPTION, links });
}

/** Addresses are relative, so that a proxy may put the service under a prefix. */
function htmlOf(places: readonly Place[]): string {
  const items = places.map(
    ({ path, title, text }) => `      <li><a href="${path.slice(1)}">${title}</a>: ${text}</li>`,
  );
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Latchkey</title>
    <link rel="icon" href="data:,">
    <style>${STYLE}</style>
  </head>
  <body>
    <h1>Latchkey</h1>
    <p>${DESCRIPTION}</p>
    <ul>
${items.join("\n")}
    </ul>
    <p>Every operation is a POST of JSON under <code>/api/v1</code>, and a Connect, gRPC and gRPC-Web call.</p>
  </body>
</html>
`;
}
