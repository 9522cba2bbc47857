import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import packageJson from "../../../package.json" with { type: "json" };
import type { PageHandler } from "./endpoint.ts";
import { type Page, page, pageAnswer } from "./page.ts";

const require = createRequire(import.meta.url);
/** The only files of the viewer's package that are served. Paths must match exactly, so path traversal is not possible. */
const VIEWER_FILES = [
  { name: "swagger-ui.css", type: "text/css; charset=utf-8" },
  { name: "swagger-ui-bundle.js", type: "text/javascript; charset=utf-8" },
  { name: "favicon-32x32.png", type: "image/png" },
];
/** Beside a built program, which runs without the package. */
const BUILT_VIEWER = fileURLToPath(new URL("./viewer/", import.meta.url));

/** Allows nothing from other origins and nothing inline: readers paste keys and tokens into the page to try a call. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

// Addresses are relative to /docs, so that a proxy may put the service under a prefix.
const HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Latchkey API</title>
    <link rel="icon" type="image/png" href="docs/favicon-32x32.png">
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <div id="viewer"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

// No validator: it would send the document's URL to a third party. No persistence: the browser would store a key.
const START = `SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#viewer",
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  tryItOutEnabled: true,
});
`;

type Pages = readonly (readonly [path: string, answer: PageHandler])[];

/** The page that errors name, by path, with what it loads. Public, since it contains only the contract. */
export const ERROR_PAGES: Pages = [
  ["/docs/errors", loadedOnce(async () => htmlPage((await import("./error-page.ts")).ERRORS_HTML))],
  [
    "/docs/errors.css",
    loadedOnce(async () => page("text/css; charset=utf-8", (await import("./error-page.ts")).ERRORS_CSS)),
  ],
];

/** The API's reference with a form to try it, by path, with what it loads. */
export const DOCUMENTATION: Pages = [
  ["/docs", loadedOnce(async () => htmlPage(HTML))],
  ["/docs/start.js", loadedOnce(async () => page("text/javascript; charset=utf-8", START))],
  ...VIEWER_FILES.map(
    ({ name, type }) => [`/docs/${name}`, loadedOnce(async () => page(type, await readViewerFile(name)))] as const,
  ),
];

/** The same for programs: `/openapi.json`. */
export const answerOpenapi = loadedOnce(openapiPage);

/** The committed document, with the version of the service that serves it beside the API's own, which is that of its paths. */
async function openapiPage(): Promise<Page> {
  const { default: openapi } = await import("../../../gen/openapi.json", { with: { type: "json" } });
  const document = { ...openapi, info: { ...openapi.info, "x-latchkey-version": packageJson.version } };
  return page("application/json", JSON.stringify(document), { "access-control-allow-origin": "*" });
}

function htmlPage(html: string): Page {
  return page("text/html; charset=utf-8", html, {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "referrer-policy": "no-referrer",
  });
}

function readViewerFile(name: string): Promise<Buffer> {
  const isBuilt = existsSync(BUILT_VIEWER);
  return readFile(join(isBuilt ? BUILT_VIEWER : dirname(require.resolve("swagger-ui-dist/package.json")), name));
}

/** A page that is loaded at its first request: most processes never get one. */
function loadedOnce(load: () => Promise<Page>): PageHandler {
  let loaded: Page | undefined;
  return async ({ headers }) => {
    loaded ??= await load();
    return pageAnswer(loaded, headers["if-none-match"]);
  };
}
