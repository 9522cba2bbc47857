import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateSigningKey, type IdentityProvider, startIdentityProvider } from "../../src/dev/identity-provider.ts";
import { checkTypes, type PackedClient, packClient } from "../client/packed.ts";
import { readmePrograms } from "../client/readme-programs.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { launchBrowser } from "../servers/chromium.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";

// The README's app, and a list of threads beside it, in a real browser, with the packed client, on another origin than the
// service.

const MAIN = `
  import { StrictMode, useState } from "react";
  import { createRoot } from "react-dom/client";
  import { LatchkeyProvider, useConversation, useLatchkey, useThreads } from "@latchkey/client/react";
  import { App } from "./app.tsx";

  let cached: Promise<string> | undefined;
  const auth = {
    getIdToken(refresh: boolean) {
      if (refresh || !cached) cached = fetch("/token?refresh=" + refresh).then((answer) => answer.text());
      return cached;
    },
  };

  function Threads() {
    const { data, denial, error, isLoading, reload } = useThreads({ perPage: 2 });
    const next = useThreads({ page: 2, perPage: 2 });
    const { auth } = useLatchkey();
    const [user, setUser] = useState("");
    return (
      <section>
        <ul>{data?.threads.map(({ conversationKey }) => <li key={conversationKey}>{conversationKey}</li>)}</ul>
        <p id="threads">{isLoading ? "loading" : denial?.reason ?? error?.message ?? "total " + data?.pagination?.total}</p>
        <button onClick={() => { reload(); next.reload(); }}>Reload threads</button>
        <button onClick={() => void auth.verify({}).then(({ userId }) => setUser(userId))}>Who</button>
        <p id="next">{next.isLoading ? "loading" : "ready"}</p>
        <p id="user">{user}</p>
      </section>
    );
  }

  function Switched() {
    const [name, setName] = useState("one");
    const { data, isLoading } = useConversation(name);
    return (
      <section>
        <button onClick={() => setName("two")}>Two</button>
        <p id="switched">{name}: {isLoading ? "loading" : data?.messages.length} {data?.conversationKey}</p>
      </section>
    );
  }

  const settings = { baseUrl: process.env.NEXT_PUBLIC_LATCHKEY_URL ?? "", apiKey: process.env.NEXT_PUBLIC_LATCHKEY_KEY };
  function Page() {
    const [shown, setShown] = useState(true);
    return (
      <StrictMode>
        <button onClick={() => setShown(false)}>Leave</button>
        {shown && <App auth={auth} />}
        <LatchkeyProvider {...settings} getUserToken={({ refresh }) => auth.getIdToken(refresh)}>
          <Threads />
          <Switched />
        </LatchkeyProvider>
      </StrictMode>
    );
  }
  const root = document.getElementById("root");
  if (root) createRoot(root).render(<Page />);`;

let packed: PackedClient;
let provider: IdentityProvider;
let latchkey: Latchkey;
let browser: Browser;

beforeAll(async () => {
  provider = await startIdentityProvider(await generateSigningKey());
  const jwksAllowedHosts = [new URL(provider.jwksUrl).host];
  [packed, latchkey] = await Promise.all([packClient(), startLatchkey({ config: { jwksAllowedHosts } })]);
  const [app = ""] = await readmePrograms("tsx");
  await writeFile(join(packed.project, "app.tsx"), app);
  const main = join(packed.project, "main.tsx");
  await writeFile(main, MAIN);
  await checkTypes(packed, main);
  browser = await launchBrowser();
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await latchkey?.close();
  await provider?.close();
  await packed?.remove();
});

interface Visit {
  readonly page: Page;
  /** What the page asked its provider for: whether each was a refresh. */
  readonly tokens: readonly string[];
  /** From now on, tokens are those of a user who does nothing but expire. */
  expireForGood(): void;
  /** Revokes the page's key. */
  revoke(): Promise<void>;
  close(): Promise<void>;
}

/** The page of a new key, served beside its provider's tokens. */
async function visit(fields: object = {}): Promise<Visit> {
  const { issuer, jwksUrl, audience } = provider;
  const dashboard = await latchkey.dashboard();
  const { key, key_id } = await latchkey.createKey(dashboard, {
    keyType: "KEY_TYPE_PUBLISHABLE",
    publishableConfig: { oidc: { issuer, jwksUrl, audience } },
    ...fields,
  });
  const script = await bundled(key);
  const tokens: string[] = [];
  let isFresh = true;
  const server: Server = createServer(async (req, res) => {
    const url = new URL(req.url ?? "", "http://page");
    if (url.pathname === "/script.js") return res.end(script);
    if (url.pathname !== "/token") {
      return res
        .setHeader("Content-Type", "text/html")
        .end('<!doctype html><div id="root"></div><script src="/script.js"></script>');
    }
    tokens.push(url.searchParams.get("refresh") ?? "");
    const now = isFresh ? latchkey.clock.now() : new Date(latchkey.clock.now().getTime() - 7_200_000);
    return res.end(await provider.sign({ sub: "app-user" }, now));
  });
  const context = await browser.newContext();
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (err) => problems.push(String(err)));
  page.on("console", (message) => {
    // Of denials, which some tests are about.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      problems.push(message.text());
  });
  await page.goto(`http://127.0.0.1:${await listenOnLoopback(server)}/`);
  return {
    page,
    tokens,
    async revoke() {
      expect((await latchkey.call("/api/v1/api-keys/revoke", { key_id }, dashboard)).status).toBe(200);
    },
    expireForGood: () => {
      isFresh = false;
    },
    async close() {
      expect(problems).toEqual([]);
      await context.close();
      await closeAll(server);
    },
  };
}

/** As a bundler makes it for production. */
async function bundled(key: string): Promise<string> {
  const define = {
    "process.env.NEXT_PUBLIC_LATCHKEY_URL": JSON.stringify(latchkey.url),
    "process.env.NEXT_PUBLIC_LATCHKEY_KEY": JSON.stringify(key),
    "process.env.NODE_ENV": '"development"',
  };
  const bundle = await rolldown({
    input: join(packed.project, "main.tsx"),
    platform: "browser",
    transform: { define },
    // "use client" is for servers that render.
    checks: { moduleLevelDirective: false },
  });
  const { output } = await bundle.generate({ format: "iife" });
  return output[0].code;
}

const textOf = (page: Page, selector: string) => page.locator(selector).textContent();
const shows = (page: Page, selector: string, text: string) =>
  expect.poll(() => textOf(page, selector), { timeout: 30_000 }).toBe(text);

async function untilAlert(page: Page): Promise<string[]> {
  await page.getByRole("alert").waitFor();
  return page.locator("form p").allTextContents();
}

describe("a page with the hooks", () => {
  test("shows a conversation that is not there yet, sends a message, and shows its reply", async () => {
    const { page, close } = await visit();
    await shows(page, "#threads", "total 0");
    await expect.poll(() => page.getByRole("alert").count()).toBe(0);
    await page.getByLabel("Message").fill("Hello");
    await page.getByLabel("Message").press("Enter");
    await expect.poll(() => page.locator("form p").allTextContents()).toEqual(["Hello", "You said: Hello"]);
    await page.getByRole("button", { name: "Reload threads" }).click();
    await shows(page, "#threads", "total 1");
    await expect.poll(() => page.locator("li").allTextContents()).toEqual(["support"]);
    await page.getByRole("button", { name: "Who" }).click();
    await shows(page, "#user", "app-user");
    await close();
  });

  test("shows nothing of a conversation under the name of another", async () => {
    const { page, close } = await visit();
    await shows(page, "#switched", "one: 0 one");
    await page.getByRole("button", { name: "Two" }).click();
    await shows(page, "#switched", "two: 0 two");
    await close();
  });

  test("refreshes an expired token, and goes on", async () => {
    const { page, tokens, close } = await visit();
    await shows(page, "#threads", "total 0");
    expect(tokens).toEqual(["false"]);
    latchkey.clock.advance(7_200_000);
    await page.getByLabel("Message").fill("Still there?");
    await page.getByLabel("Message").press("Enter");
    await expect
      .poll(() => page.locator("form p").allTextContents())
      .toEqual(["Still there?", "You said: Still there?"]);
    expect(tokens).toEqual(["false", "true"]);
    latchkey.clock.advance(7_200_000);
    // Two calls at once.
    await page.getByRole("button", { name: "Reload threads" }).click();
    await shows(page, "#threads", "total 1");
    await shows(page, "#next", "ready");
    expect(tokens).toEqual(["false", "true", "true"]);
    await close();
  });

  test("shows the denial of a token that stays expired", async () => {
    const { page, tokens, expireForGood, close } = await visit();
    await shows(page, "#threads", "total 0");
    latchkey.clock.advance(7_200_000);
    expireForGood();
    await page.getByRole("button", { name: "Reload threads" }).click();
    await shows(page, "#threads", "jwt_expired");
    expect(tokens).toEqual(["false", "true"]);
    await close();
  });

  test("shows the denial of a revoked key, and keeps what it has read", async () => {
    const { page, revoke, close } = await visit();
    await page.getByLabel("Message").fill("Hello");
    await page.getByLabel("Message").press("Enter");
    await expect.poll(() => page.locator("form p").allTextContents()).toEqual(["Hello", "You said: Hello"]);
    await revoke();
    await page.getByLabel("Message").fill("Again");
    await page.getByLabel("Message").press("Enter");
    const [said, reply, alert, ...others] = await untilAlert(page);
    expect([said, reply, others]).toEqual(["Hello", "You said: Hello", []]);
    expect(alert).toContain("revoked");
    await close();
  });

  test("shows a limit that is reached, also when it sends", async () => {
    const { page, close } = await visit({ rate_limit: { requests_per_minute: 20 } });
    await shows(page, "#threads", "total 0");
    for (let n = 0; n < 10; n++) await page.getByRole("button", { name: "Reload threads" }).click();
    await shows(page, "#threads", "rate_limited");
    await page.getByLabel("Message").fill("Too much");
    await page.getByLabel("Message").press("Enter");
    await shows(page, "[role=alert]", "Slow down, please.");
    await expect.poll(() => page.locator("form p:not([role])").count()).toBe(0);
    await close();
  });

  test("ends its calls when it goes", async () => {
    const { page, close } = await visit();
    await shows(page, "#threads", "total 0");
    await page.getByLabel("Message").fill("Bye");
    await page.getByLabel("Message").press("Enter");
    await page.getByRole("button", { name: "Leave" }).click();
    await expect.poll(() => page.locator("form").count()).toBe(0);
    await page.getByRole("button", { name: "Reload threads" }).click();
    await shows(page, "#threads", "total 1");
    await close();
  });
});
