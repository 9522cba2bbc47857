import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, extname, join, normalize } from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { INSTALL_MS } from "../../tools/on-demand/packages.ts";
import { launchBrowser } from "../servers/chromium.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";

/** The site that `npm run docs:build` makes, looked at as a reader's browser does, without any other host. */

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".txt": "text/plain",
};

let directory: string;
/** The text of each page, by its path. */
let pages: ReadonlyMap<string, string>;
let files: ReadonlySet<string>;
let browser: Browser;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "latchkey-site-"));
  const [{ stderr }, launched] = await Promise.all([
    promisify(execFile)("npm", ["run", "--silent", "docs:build", "--", "--outDir", directory]),
    launchBrowser(),
  ]);
  browser = launched;
  expect(stderr).not.toContain("dead link");
  files = new Set(await readdir(directory, { recursive: true }));
  const paths = [...files].filter((path) => path.endsWith(".html"));
  pages = new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(directory, path), "utf8")] as const)),
  );
}, INSTALL_MS);

afterAll(async () => {
  await browser.close();
  await rm(directory, { recursive: true });
});

test("has a page for every page of the repository's documentation", async () => {
  expect(pages.has("index.html")).toBe(true);
  const sources = await readdir(new URL("../../docs", import.meta.url), { recursive: true });
  // The first page is the site's own, and the API reference has a page for each service.
  const wanted = sources.filter((path) => path.endsWith(".md") && path !== "home.md" && !path.startsWith("api/["));
  expect(wanted.length).toBeGreaterThan(80);
  for (const path of wanted) {
    expect(pages.has(join("docs", path.replace(/README\.md$/, "index.md").replace(/\.md$/, ".html"))), path).toBe(true);
  }
});

test("has the text of every page: none is empty", () => {
  for (const [path, html] of pages) if (path !== "404.html") expect(html, path).toContain("<h1");
  expect(pages.get("docs/guides/identity/clerk.html")).toContain("{{user.primary_email_address}}");
  expect(pages.get("docs/guides/identity/workos.html")).toContain("{{ user.email_verified }}");
});

test("has no link that leads to nothing, whether page, section or file", () => {
  let links = 0;
  for (const [path, html] of pages) {
    for (const [, href = ""] of html.matchAll(/<a [^>]*href="([^"]+)"/g)) {
      if (/^[a-z]+:/.test(href)) continue;
      const [, target = "", section = ""] = /^([^#]*)#?(.*)$/.exec(href) ?? [];
      const found = target === "" ? path : fileAt(target, path);
      expect(files.has(found), `${path}: ${href}`).toBe(true);
      if (section !== "")
        expect(pages.get(found), `${path}: ${href}`).toContain(` id="${decodeURIComponent(section)}"`);
      links++;
    }
  }
  expect(links).toBeGreaterThan(5_000);
});

/** The path of what a link on a page leads to. */
function fileAt(target: string, page: string): string {
  const path = target.startsWith("/") ? target.slice(1) : normalize(join(dirname(page), target));
  return decodeURIComponent(path === "" || path.endsWith("/") ? join(path, "index.html") : path);
}

/** Opens pages of the site as a reader does, and collects what must not happen: requests to other hosts, and errors. */
async function visit(look: (page: Page, url: string) => Promise<void>): Promise<void> {
  const server = createServer(async (request, response) => {
    const path = fileAt(new URL(request.url ?? "", "http://site").pathname, "");
    const isThere = files.has(path);
    response.writeHead(isThere ? 200 : 404, { "Content-Type": TYPES[extname(path)] ?? "application/octet-stream" });
    response.end(isThere ? await readFile(join(directory, path)) : "");
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  const page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(`${url}/`) && !request.url().startsWith("data:")) elsewhere.push(request.url());
  });
  const failures: string[] = [];
  page.on("pageerror", (err) => failures.push(String(err)));
  await look(page, url);
  expect([failures, elsewhere]).toEqual([[], []]);
  await page.close();
  await closeAll(server);
}

/** The page's program hears of keys and clicks once it runs. */
const isRunning = (page: Page) => page.waitForFunction('document.querySelector("#app").__vue_app__ !== undefined');

test("is searched and read without any other host, and lists the errors", () =>
  visit(async (page, url) => {
    await page.goto(url);
    await isRunning(page);
    await page.keyboard.press("Control+k");
    await page.getByRole("searchbox").fill("jwt_invalid_audience");
    await page.getByRole("option").filter({ hasText: "jwt_invalid_audience" }).first().click();
    await page.waitForURL(/\/docs\/errors\.html#jwt_invalid_audience/);
    await page.getByRole("heading", { name: "jwt_invalid_audience" }).waitFor();
    await page.screenshot({ path: "artifacts/documentation.png" });
  }));

test("begins with what the service is, code in tabs, the console's picture and a comparison", () =>
  visit(async (page, url) => {
    await page.goto(url);
    await isRunning(page);
    await page.getByRole("heading", { level: 1, name: /who is calling/ }).waitFor();
    await page.getByText("binds on every replica before it is acknowledged").waitFor();
    await page.locator("svg.request").waitFor();
    expect(await page.getByText("createGuard").first().isVisible()).toBe(false);
    await page.getByText("TypeScript", { exact: true }).first().click();
    await expect.poll(() => page.getByText("createGuard").first().isVisible()).toBe(true);
    const console = page.getByRole("img", { name: /The console's page/ }).filter({ visible: true });
    await expect.poll(() => console.evaluate((img: { naturalWidth?: number }) => img.naturalWidth)).toBeGreaterThan(0);
    await page.getByText("As of 2026-11-27").waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "API", exact: true }).click();
    await page.getByRole("link", { name: "/api/v1/api-keys/rotate" }).click();
    await page.getByRole("heading", { name: "rotateApiKey" }).waitFor();
  }));

test("draws the diagrams, in the colours of the page", () =>
  visit(async (page, url) => {
    await page.goto(`${url}/docs/architecture.html`);
    const drawn = page.locator(".diagram svg");
    await expect.poll(() => drawn.count()).toBe(3);
    const firstId = await drawn.first().getAttribute("id");
    await page.getByRole("switch").first().click();
    await expect.poll(() => drawn.first().getAttribute("id")).not.toBe(firstId);
  }));
