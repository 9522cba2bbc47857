import { setTimeout as sleep } from "node:timers/promises";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { CHROMIUM, SWITCHES } from "../test/servers/chromium.ts";
import { ensureInstalled } from "../test/servers/debian.ts";

/**
 * `npm run bench:console`: how long a person waits for the list of keys, from an empty cache to the first row, on a fourth of this
 * machine's CPU. It visits the console of `npm run dev`, or the one whose address it gets: `npm run bench:console -- <url>`.
 */
const CONSOLE = process.argv[2] ?? "http://127.0.0.1:8080/console";
const KEYS = `${CONSOLE}/keys`;
/** Of the development identity provider. Has keys. */
const USER = "dev-user";
const SLOWDOWN = 4;
const VISITS = 5;
/** Between two visits, so that what the first has left does not run in the second. */
const PAUSE_MS = 1_000;

await ensureInstalled(CHROMIUM);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: SWITCHES });
try {
  const session = await signedIn(browser);
  const times: number[] = [];
  for (let visit = 0; visit < VISITS; visit += 1) {
    times.push(await timeToFirstKey(browser, session));
    await sleep(PAUSE_MS);
  }
  times.sort((a, b) => a - b);
  const [fastest = 0] = times;
  console.log(`${seconds(times[Math.floor(VISITS / 2)] ?? 0)} (${seconds(fastest)} to ${seconds(times.at(-1) ?? 0)})`);
} finally {
  await browser.close();
}

/** The cookies of the provider's session, which signs in a page without a question. */
async function signedIn(within: Browser): Promise<BrowserContextOptions> {
  const context = await within.newContext();
  const page = await context.newPage();
  await page.goto(KEYS);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: USER }).click();
  await firstKey(page).waitFor();
  const storageState = await context.storageState();
  await context.close();
  return { storageState };
}

/** In ms, with the way through the provider that a reload takes. */
async function timeToFirstKey(within: Browser, session: BrowserContextOptions): Promise<number> {
  const context = await within.newContext({ ...session, viewport: { width: 1_280, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${CONSOLE}/config.json`);
  await page.evaluate(`localStorage.setItem("latchkey.signed-in", "in")`);
  const debugging = await context.newCDPSession(page);
  await debugging.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  const begun = performance.now();
  await page.goto(KEYS, { waitUntil: "commit" });
  await firstKey(page).waitFor();
  const ms = performance.now() - begun;
  await context.close();
  return ms;
}

function firstKey(page: Page) {
  return page.getByRole("table").getByRole("row").nth(1);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}
