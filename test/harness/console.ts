import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import pg from "pg";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { generateSigningKey } from "../../src/dev/identity-provider.ts";
import { claimsFromHook } from "../../src/dev/organizations.ts";
import { type SignInProvider, startSignInProvider, type UserClaims } from "../../src/dev/sign-in-provider.ts";
import { createTokenSigner } from "../../src/dev/token-signer.ts";
import type { Assistant } from "../../src/domain/conversations/assistant.ts";
import { launchBrowser } from "../servers/chromium.ts";
import { freePort } from "../servers/free-port.ts";
import { accessRules } from "./access-rules.ts";
import type { Answer } from "./http.ts";
import { type Latchkey, startLatchkey, testStorage } from "./latchkey.ts";
import { HOUR } from "./test-clock.ts";

const CLIENT = "console";
const HOOK_SECRET = "secret-of-the-login-hook-0123456789abcdef";
/** The tenant of `operators`, which has no organization here. */
const OPERATOR_TENANT = "ten_operator";
const SCREENSHOTS = "artifacts/console";
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

const INSERT_KEYS = `
  insert into api_keys (key_id, tenant_id, secret_hash, secret_prefix, type, name, description, permissions,
    requests_per_minute, requests_per_hour, burst_size, created_at, updated_at)
  select 'key_' || $1 || n, $1, sha256(convert_to($1 || n, 'UTF8')), 'sk_' || left(md5(n::text), 9), 'secret',
    'service ' || n, '', case n % 2 when 0 then '["plans:read","plans:write"]' else '["plans:read"]' end::jsonb,
    60, 0, 0, now(), now()
  from generate_series(1, $2::int) n`;

/** A running service with its console, the development identity provider and a browser. */
export interface ConsoleBench {
  readonly latchkey: Latchkey;
  /** The console's address. */
  readonly url: string;
  /** Its address on the port of operators. Empty: they have none. */
  readonly adminUrl: string;
  readonly provider: SignInProvider;
  /** What the provider's tokens say of a user. */
  claimsOf(sub: string): Promise<UserClaims>;
  /** Signs a token of the provider with these claims. */
  sign(claims: Record<string, unknown>): Promise<string>;
  /** Opens the console in a browser profile of its own, signed out. */
  open(options?: BrowserContextOptions, address?: string): Promise<Visit>;
  /**
   * Signs in as the user of that id, and is at the keys then. The first visit of a user goes through the provider's own pages; the
   * others have its cookies and pass through the provider as a reload does.
   */
  signIn(sub: string, options?: BrowserContextOptions): Promise<Visit>;
  /** Calls the API as a user of that id, for what a test needs to be there. Throws unless it succeeds. */
  call(sub: string, path: string, body?: object): Promise<Answer["json"]>;
  /** An organization of its own, whose owner is that user. Returns its tenant. */
  found(sub: string, name: string): Promise<string>;
  /** Stores that many keys, named `service 1` and so on; every second has `plans:write` beside `plans:read`. */
  storeKeys(tenant: string, count: number): Promise<void>;
  /** Makes a user a member of another's organization. */
  join(sub: string, owner: string, role: string): Promise<void>;
  close(): Promise<void>;
}

export interface Visit {
  readonly page: Page;
  /** Errors of the page's scripts and of its content security policy. */
  readonly problems: readonly string[];
  /** Saves a picture of the whole page, to be looked at. */
  picture(name: string): Promise<void>;
  /** What is wrong for people who use assistive technology, by axe's rules. */
  findings(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface ConsoleOptions {
  readonly rolesClaim?: string;
  /** Beside the built-in ones, with their scopes. */
  readonly roles?: Readonly<Record<string, readonly string[]>>;
  readonly assistant?: Assistant;
  /** The limit of new keys that have none of their own. Default 0: none. */
  readonly requestsPerMinuteDefault?: number;
  /** Users of the operator's own tenant, `OPERATOR_TENANT`, with their roles. */
  readonly operators?: Readonly<Record<string, readonly string[]>>;
  /** Whether operators have a port of their own. */
  readonly hasAdminPort?: boolean;
  /** Where webhooks may be sent although it is this machine. */
  readonly webhookAllowedHosts?: readonly string[];
  /**
   * What the provider's tokens say of tenants: those of the organizations here, as the hook names them; `adopted`: the
   * provider's own organizations are the tenants, and its users are in none; `missing`: nothing.
   */
  readonly tenants?: "hook" | "adopted" | "missing";
}

export async function startConsole(options: ConsoleOptions = {}): Promise<ConsoleBench> {
  const {
    rolesClaim = "roles",
    roles = {},
    assistant,
    operators = {},
    hasAdminPort = false,
    tenants = "hook",
    requestsPerMinuteDefault = 0,
    webhookAllowedHosts = [],
  } = options;
  await mkdir(SCREENSHOTS, { recursive: true });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/console`;
  const adminPort = hasAdminPort ? await freePort() : null;
  const adminUrl = adminPort === null ? "" : `http://127.0.0.1:${adminPort}/console`;
  const urls = [url, ...(hasAdminPort ? [adminUrl] : [])];
  const claimsOf = async (sub: string): Promise<UserClaims> => {
    if (tenants !== "hook") return { email: `${sub}@example.com`, email_verified: true };
    const own = operators[sub];
    if (own === undefined) return claimsFromHook(latchkey.url, HOOK_SECRET, sub);
    return { email: `${sub}@example.com`, email_verified: true, tenant_id: OPERATOR_TENANT, roles: own };
  };
  const signingKey = await generateSigningKey();
  let latchkey: Latchkey;
  const provider: SignInProvider = await startSignInProvider({
    signingKey,
    port: 0,
    clientId: CLIENT,
    redirectUris: urls.map((own) => `${own}/callback`),
    signedOutUris: urls,
    users: [{ sub: "ada", description: "a user of these tests" }],
    claimsOf,
  });
  const { issuer, jwksUrl } = provider;
  const { storage } = await testStorage();
  latchkey = await startLatchkey({
    ...(assistant && { assistant }),
    // Nothing announces an event: it waits for the next look.
    ...(webhookAllowedHosts.length > 0 && { webhookPollMs: 500 }),
    config: {
      port,
      adminPort,
      storage,
      console: { clientId: CLIENT, scope: "openid offline_access", token: "id_token", parameters: {} },
      access: accessRules({ rolesClaim, roles, operatorTenant: OPERATOR_TENANT }),
      rateLimitDefault: { requestsPerMinute: requestsPerMinuteDefault, requestsPerHour: 0, burstSize: 0 },
      dashboard: {
        expectation: { issuer, jwksUrl, audience: CLIENT, jwksOwner: { kind: "operator" } },
        userIdClaim: "sub",
        tenantClaim: tenants === "adopted" ? "org_id" : "tenant_id",
        requiredClaims: {},
      },
      identityHookSecrets: tenants === "adopted" ? [] : [HOOK_SECRET],
      jwksAllowedHosts: [new URL(jwksUrl).host],
      webhookAllowedHosts,
    },
  });
  const sign = await createTokenSigner(signingKey, issuer, CLIENT);
  const browser = await launchBrowser();

  async function call(sub: string, path: string, body: object = {}): Promise<Answer["json"]> {
    const token = await sign({ sub, ...(await claimsOf(sub)) }, latchkey.clock.now());
    const answer = await latchkey.call(`/api/v1/${path}`, body, { authorization: `Bearer ${token}` });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  }

  const sessions = new Map<string, Awaited<ReturnType<BrowserContext["cookies"]>>>();
  const keys = `${url}/keys`;
  const settingsFile = `${url}/config.json`;
  const open = (settings?: BrowserContextOptions, address = url): Promise<Visit> => visit(browser, address, settings);
  return {
    latchkey,
    url,
    adminUrl,
    provider,
    claimsOf,
    sign: (claims) => sign(claims, latchkey.clock.now()),
    open,
    call,
    async signIn(sub, settings) {
      const cookies = sessions.get(sub);
      // Without local storage, for which Playwright would load a page of its own.
      const visited =
        cookies === undefined
          ? await open(settings, keys)
          : await open({ ...settings, storageState: { cookies, origins: [] } }, settingsFile);
      const { page, problems } = visited;
      try {
        const isNew = cookies === undefined || !(await resumed(page, keys, sub));
        if (isNew) {
          await signInAt(page, sub);
          sessions.set(sub, await page.context().cookies());
        }
      } catch (err) {
        const text = await page.locator("body").textContent();
        throw new Error(`no sign-in at ${page.url()}: ${text}\n${problems.join("\n")}`, { cause: err });
      }
      return visited;
    },
    found: async (sub, name) => (await call(sub, "orgs/create", { name })).result.tenant_id,
    async storeKeys(tenant, count) {
      if (storage.kind !== "postgres") throw new Error("the console is tested on PostgreSQL");
      const client = new pg.Client({ connectionString: storage.url });
      await client.connect();
      await client.query(INSERT_KEYS, [tenant, count]);
      await client.end();
    },
    async join(sub, owner, role) {
      const invitation = { email: `${sub}@example.com`, role };
      const { token } = await call(owner, "orgs/invitations/create", invitation);
      await call(sub, "orgs/invitations/accept", { token });
    },
    async close() {
      await browser.close();
      await latchkey.close();
      await provider.close();
    },
  };
}

/** From the console's entrance through the provider's page, unless the provider knows the user, and back. */
export async function signInAt(page: Page, sub: string): Promise<void> {
  await page.getByRole("button", { name: "Sign in" }).click();
  const name = page.getByLabel("New user");
  const account = page.getByRole("button", { name: `Account of ${sub}` });
  await name.or(account).waitFor();
  if (await account.isVisible()) return;
  await name.fill(sub);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await account.waitFor();
}

/** With the cookies of the provider, in a browser that was signed in before. False: the provider's session has ended. */
async function resumed(page: Page, address: string, sub: string): Promise<boolean> {
  await page.evaluate(`localStorage.setItem("latchkey.signed-in", "in")`);
  await page.goto(address);
  const account = page.getByRole("button", { name: `Account of ${sub}` });
  await account.or(page.getByRole("button", { name: "Sign in" })).waitFor();
  return account.isVisible();
}

/** The page's time and timers are the test's from now on. They begin with this hour, so that none ends meanwhile. */
export async function holdTime(page: Page): Promise<void> {
  await page.clock.install({ time: Math.floor(Date.now() / HOUR) * HOUR });
}

/** Lets time pass on a page, whose time is held, in steps, until something about it is true. */
export async function passTime(page: Page, stepMs: number, isTrue: () => Promise<boolean>): Promise<void> {
  const step = async (): Promise<boolean> => {
    await page.clock.fastForward(stepMs);
    return isTrue();
  };
  await expect.poll(step, { interval: 500 }).toBe(true);
}

/** Begins the service's next hour now if this one ends soon, so that a file's requests of now are in the hour under way. */
export function leaveEndingHour({ clock }: Latchkey): void {
  const leftMs = HOUR - (clock.now().getTime() % HOUR);
  if (leftMs < HOUR / 4) clock.advance(leftMs);
}

/** Opens a page by the navigation, which is behind a button where there is little room. */
export async function goTo(page: Page, name: string): Promise<void> {
  const link = page.getByRole("navigation", { name: "Console" }).getByRole("link", { name, exact: true });
  const menu = page.getByRole("button", { name: "Open the menu" });
  if (await menu.isVisible()) await menu.click();
  await link.click();
}

async function visit(browser: Browser, url: string, settings: BrowserContextOptions = {}): Promise<Visit> {
  // Without animations: what is looked at while it fades in has the contrast of that moment.
  const common = { viewport: { width: 1_280, height: 900 }, reducedMotion: "reduce" } as const;
  const context = await browser.newContext({ ...common, ...settings });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (err) => problems.push(String(err)));
  page.on("console", (message) => {
    // Refused calls are what some tests are about, and the browser logs each.
    const isStatus = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isStatus) problems.push(message.text());
  });
  await page.goto(url);
  return {
    page,
    problems,
    picture: async (name) => {
      await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
    },
    findings: () => findingsOf(page),
    async close() {
      expect(problems).toEqual([]);
      await context.close();
    },
  };
}

/** Injected by the browser's own interface for debugging, which the page's policy does not bind. */
async function findingsOf(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  const known = await session.send("Runtime.evaluate", { expression: "typeof axe" });
  if (known.result.value === "undefined")
    await session.send("Runtime.evaluate", { expression: await readFile(AXE, "utf8") });
  const { result } = await session.send("Runtime.evaluate", {
    expression: `axe.run().then(({ violations }) => JSON.stringify(violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + " " + target.join(" ") + " " + failureSummary))))`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  return JSON.parse(String(result.value));
}
