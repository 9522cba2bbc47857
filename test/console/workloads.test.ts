import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConsoleBench, goTo, startConsole, type Visit } from "../harness/console.ts";
import { EXCHANGE, JWT_TYPE, postForm, WORKLOAD_KEY } from "../harness/federation.ts";
import type { JsonObject } from "../harness/http.ts";
import { signToken } from "../jwks/provider.ts";

const CLUSTER = "https://kubernetes.default.svc.cluster.local";
const POD = "system:serviceaccount:shop:deployer";
const JWKS = JSON.stringify({ keys: [WORKLOAD_KEY.jwk] });

let bench: ConsoleBench;
let users = 0;

beforeAll(async () => {
  bench = await startConsole();
});

afterAll(() => bench.close());

interface Employer {
  readonly owner: string;
  readonly audience: string;
  readonly keyId: string;
  /** A rule for the cluster's pods. */
  create(changes?: object): Promise<JsonObject>;
  /** A pod's token. */
  assertion(claims?: object): string;
}

/** An organization with a key for its workloads. */
async function employer(): Promise<Employer> {
  const owner = `work-${++users}`;
  const tenant = await bench.found(owner, `Work ${users}`);
  const audience = `${new URL(bench.url).origin}/${tenant}`;
  const { result: key } = await bench.call(owner, "api-keys/create", {
    ...{ name: "Deployer", permissions: ["plans:read", "plans:write", "conversations:read"] },
  });
  return {
    ...{ owner, audience, keyId: key.key_id },
    async create(changes = {}) {
      const values = {
        ...{ name: "Pods", issuer: CLUSTER, audience, jwks: JSON.parse(JWKS), key_id: key.key_id },
        ...{ claimRules: [{ claim: "sub", equals: POD }], scopes: ["plans:read"], ...changes },
      };
      return (await bench.call(owner, "federation/rules/create", values)).result;
    },
    assertion(claims = {}) {
      const nowS = Math.floor(bench.latchkey.clock.now().getTime() / 1_000);
      const own = { iss: CLUSTER, aud: audience, sub: POD, jti: randomUUID(), iat: nowS, exp: nowS + 600 };
      return signToken(WORKLOAD_KEY, { ...own, ...claims });
    },
  };
}

async function visitWorkloads(sub: string, settings: Parameters<ConsoleBench["signIn"]>[1] = {}): Promise<Visit> {
  const visit = await bench.signIn(sub, settings);
  await goTo(visit.page, "Workloads");
  await visit.page.getByRole("heading", { name: "Workloads", level: 1 }).waitFor();
  return visit;
}

async function opened(
  sub: string,
  rule: JsonObject,
  settings: Parameters<ConsoleBench["signIn"]>[1] = {},
): Promise<Visit> {
  const visit = await visitWorkloads(sub, settings);
  await visit.page.getByRole("link", { name: String(rule.name) }).click();
  await visit.page.getByRole("heading", { name: String(rule.name), level: 1, exact: true }).waitFor();
  return visit;
}

async function exchangeStatus(ruleId: unknown, assertion: string): Promise<number> {
  const form = {
    grant_type: EXCHANGE,
    subject_token_type: JWT_TYPE,
    client_id: String(ruleId),
    subject_token: assertion,
  };
  return (await postForm(bench.latchkey, form)).status;
}

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const steps = (page: Page) => page.getByRole("list", { name: "Checks" }).getByRole("listitem");
const isWiderThanPage = "document.documentElement.scrollWidth > document.documentElement.clientWidth";

test("a rule is added from a platform's preset, and its workloads get tokens", async () => {
  const { owner, audience, keyId, assertion } = await employer();
  const { page, picture, findings, close } = await visitWorkloads(owner);
  await page.getByRole("heading", { name: "No rule yet" }).waitFor();
  expect(await findings()).toEqual([]);
  await page.getByRole("link", { name: "Add a rule" }).click();
  // The first preset: what is in angle brackets is still needed.
  await expect.poll(() => field(page, "Issuer").inputValue()).toBe("https://token.actions.githubusercontent.com");
  expect(await field(page, "Audience").inputValue()).toBe(audience);
  await page.getByText("a value in place of <repository id>").waitFor();
  expect(await button(page, "Add rule").isDisabled()).toBe(true);
  await field(page, "Platform").selectOption("Kubernetes service account");
  await expect.poll(() => field(page, "Issuer").inputValue()).toBe(CLUSTER);
  await field(page, "Name").fill("Pods");
  await field(page, "Key set").fill(JWKS);
  const claim = page.getByRole("group", { name: "Claim 1" });
  await expect.poll(() => claim.getByLabel("Claim", { exact: true }).inputValue()).toBe("sub");
  await claim.getByLabel("Value").fill(POD);
  await field(page, "Key").selectOption("Deployer");
  await page.getByRole("button", { name: "Read only" }).waitFor();
  // What the key lacks is not offered.
  await page.getByLabel(/^Plans/).selectOption("Read");
  expect(await page.getByLabel(/^Webhooks/).count()).toBe(0);
  await field(page, "Valid for, in seconds").fill("901");
  await page.getByText("Still needed: 60 to 900 seconds.").waitFor();
  await field(page, "Valid for, in seconds").fill("600");
  await picture("workload-new");
  expect(await findings()).toEqual([]);
  await button(page, "Add rule").click();
  await page.getByRole("heading", { name: "Pods", level: 1, exact: true }).waitFor();
  const { rules } = await bench.call(owner, "federation/rules/list");
  expect(rules).toMatchObject([
    { name: "Pods", issuer: CLUSTER, audience, jwks: JSON.parse(JWKS), scopes: ["plans:read"], ttl_seconds: 600 },
  ]);
  expect(rules[0].claimRules).toEqual([{ claim: "sub", equals: POD }]);
  expect(await exchangeStatus(rules[0].rule_id, assertion())).toBe(200);
  await goTo(page, "Workloads");
  await page.getByRole("row", { name: /Pods.*Deployer.*plans:read.*Enabled/ }).waitFor();
  await picture("workloads");
  expect(await findings()).toEqual([]);
  // The key's page has the token, and leads to its rule.
  await page.goto(`${bench.url}/keys/${keyId}`);
  await page.getByRole("table", { name: "Tokens" }).getByRole("link", { name: "By a rule for workloads" }).click();
  await page.getByRole("heading", { name: "Pods", level: 1, exact: true }).waitFor();
  await close();
});

test("every platform's preset fills issuer, audience, keys and claims, and says what is left to replace", async () => {
  const { owner, audience } = await employer();
  const { page, close } = await visitWorkloads(owner);
  await page.getByRole("link", { name: "Add a rule" }).click();
  await field(page, "Platform").waitFor();
  const platforms = await field(page, "Platform").locator("option").allTextContents();
  expect(platforms).toEqual([
    ...["GitHub Actions", "GitLab CI/CD", "Kubernetes service account", "SPIFFE", "Google Cloud"],
    ...["Microsoft Entra", "AWS", "Another issuer of OIDC tokens"],
  ]);
  const seen = [];
  for (const platform of platforms) {
    await field(page, "Platform").selectOption(platform);
    const filled = await field(page, "Audience").inputValue();
    const row = page.getByRole("group", { name: "Claim 1" });
    seen.push([
      await field(page, "Issuer").inputValue(),
      filled === audience ? "own" : filled,
      await field(page, "The issuer's keys").inputValue(),
      await row.getByLabel("Claim", { exact: true }).inputValue(),
    ]);
  }
  expect(seen).toEqual([
    ["https://token.actions.githubusercontent.com", "own", "discovered", "repository_id"],
    ["https://gitlab.com", "own", "discovered", "project_id"],
    [CLUSTER, "own", "pasted", "sub"],
    ["https://<oidc discovery provider>", "own", "discovered", "sub"],
    ["https://accounts.google.com", "own", "discovered", "sub"],
    [
      "https://login.microsoftonline.com/<directory id>/v2.0",
      "<client id of the app registration>",
      "discovered",
      "oid",
    ],
    ["https://<account's id for tokens>.tokens.sts.global.api.aws", "own", "discovered", "sub"],
    ["", "own", "discovered", "sub"],
  ]);
  await close();
});

test("what the service refuses is said in its own words, and the form keeps what was typed", async () => {
  const { owner } = await employer();
  const { page, close } = await visitWorkloads(owner);
  await page.getByRole("link", { name: "Add a rule" }).click();
  await field(page, "Platform").selectOption("Another issuer of OIDC tokens");
  await field(page, "Name").fill("Jobs");
  await field(page, "Issuer").fill("https://10.0.0.1");
  await page.getByRole("group", { name: "Claim 1" }).getByLabel("Value").fill("job");
  await field(page, "Key").selectOption("Deployer");
  await page.getByLabel(/^Plans/).selectOption("Read");
  await button(page, "Add rule").click();
  await page
    .getByRole("alert")
    .getByText(/^Key set URL: cannot be discovered/)
    .waitFor();
  // Every workload of the issuer would get a token.
  await page.getByRole("group", { name: "Claim 1" }).getByLabel("Claim", { exact: true }).fill("iss");
  await field(page, "The issuer's keys").selectOption("pasted");
  await field(page, "Key set").fill(JWKS);
  await button(page, "Add rule").click();
  await page
    .getByRole("alert")
    .getByText(/^Claims: must pin the workload/)
    .waitFor();
  expect(await field(page, "Name").inputValue()).toBe("Jobs");
  await close();
});

test("a workload's token is checked step by step, and is nowhere but in the request's body", async () => {
  const { owner, create, assertion } = await employer();
  const rule = await create();
  const { page, picture, findings, close } = await opened(owner, rule);
  const [good, bad] = [assertion(), assertion({ sub: "system:serviceaccount:shop:guest" })];
  const sent: string[] = [];
  page.on("request", (request) => {
    const carries = [good, bad].some((token) =>
      `${request.url()} ${JSON.stringify(request.headers())}`.includes(token),
    );
    if (carries) expect.fail("the token is in an address or a header");
    if ([good, bad].some((token) => request.postData()?.includes(token))) sent.push(new URL(request.url()).pathname);
  });
  const logged: string[] = [];
  page.on("console", (message) => logged.push(message.text()));
  await field(page, "A workload's token").fill(` ${good}\n`);
  await button(page, "Check").click();
  await page.getByText("The workload would get a token.").waitFor();
  expect((await steps(page).allTextContents()).every((text) => text.startsWith("Passed"))).toBe(true);
  await field(page, "A workload's token").fill(bad);
  await field(page, "A workload's token").press("Tab");
  await page.keyboard.press("Enter");
  await page.getByText("The workload would get no token.").waitFor();
  const failed = steps(page).filter({ hasText: "Failed" });
  await expect.poll(() => failed.count()).toBe(1);
  const text = (await failed.textContent()) ?? "";
  expect(text).toContain("claim rules");
  expect(text).toContain(POD);
  expect(text).toContain("system:serviceaccount:shop:guest");
  await picture("workload");
  expect(await findings()).toEqual([]);
  await field(page, "A workload's token").fill("no token");
  await button(page, "Check").click();
  await expect.poll(() => failed.count()).toBeGreaterThan(0);
  expect(sent).toEqual(Array(2).fill("/latchkey.v1.FederationService/CheckFederationAssertion"));
  const stored = await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state])");
  expect(`${stored} ${page.url()} ${logged.join(" ")}`).not.toContain(good.slice(0, 40));
  // It was not used up.
  expect(await exchangeStatus(rule.rule_id, good)).toBe(200);
  await page.reload();
  await expect.poll(() => field(page, "A workload's token").inputValue()).toBe("");
  await close();
});

test("a rule is changed, disabled, enabled and deleted", async () => {
  const { owner, create, assertion } = await employer();
  const rule = await create();
  const { page, findings, close } = await opened(owner, rule);
  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByText("Nothing is changed yet.").waitFor();
  await field(page, "Name").fill("Guests");
  await page.getByRole("group", { name: "Claim 1" }).getByLabel("Value").fill("system:serviceaccount:shop:guest");
  await button(page, "Add a claim").click();
  const second = page.getByRole("group", { name: "Claim 2" });
  await second.getByLabel("Claim", { exact: true }).fill("kubernetes.io.verified");
  await second.getByLabel("Must").selectOption("equals the number, true or false");
  await second.getByLabel("Value").fill("yes");
  await page.getByText(/Still needed: at least one claim/).waitFor();
  await second.getByLabel("Value").fill("true");
  expect(await findings()).toEqual([]);
  await button(page, "Save").click();
  await page.getByRole("heading", { name: "Guests", level: 1, exact: true }).waitFor();
  const read = async () => (await bench.call(owner, "federation/rules/get", { rule_id: rule.rule_id })).result;
  expect(await read()).toMatchObject({
    ...{ name: "Guests", issuer: CLUSTER, jwks: JSON.parse(JWKS), scopes: ["plans:read"] },
    claimRules: [
      { claim: "sub", equals: "system:serviceaccount:shop:guest" },
      { claim: "kubernetes.io.verified", equals: true },
    ],
  });
  await button(page, "Disable").click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Disable" }).click();
  await button(page, "Enable").waitFor();
  expect((await read()).status).toBe("FEDERATION_RULE_STATUS_DISABLED");
  expect(await exchangeStatus(rule.rule_id, assertion({ sub: "system:serviceaccount:shop:guest" }))).not.toBe(200);
  await button(page, "Enable").click();
  await button(page, "Disable").waitFor();
  await button(page, "Delete").click();
  const question = page.getByRole("alertdialog");
  await question.getByRole("button", { name: "Cancel" }).click();
  await question.waitFor({ state: "detached" });
  expect((await read()).name).toBe("Guests");
  await button(page, "Delete").click();
  await question.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "No rule yet" }).waitFor();
  await expect(read()).rejects.toThrow("404");
  await goTo(page, "Activity");
  await page.getByText("You deleted the rule for workloads Guests").waitFor();
  await page.getByText("You created the rule for workloads Pods").waitFor();
  await close();
});

test("a change of the issuer keeps the pasted keys that are shown", async () => {
  const { owner, create } = await employer();
  const rule = await create();
  const { page, close } = await opened(owner, rule);
  await page.getByRole("link", { name: "Edit" }).click();
  await field(page, "Issuer").fill("https://cluster.example");
  await button(page, "Save").click();
  await page.getByRole("heading", { name: "Pods", level: 1, exact: true }).waitFor();
  const { result } = await bench.call(owner, "federation/rules/get", { rule_id: rule.rule_id });
  expect(result).toMatchObject({ issuer: "https://cluster.example", jwks: JSON.parse(JWKS) });
  await close();
});

test("only users with api_keys:admin have the page, and the API refuses the others", async () => {
  const { owner, create } = await employer();
  const rule = await create();
  const viewer = `${owner}-viewer`;
  await bench.join(viewer, owner, "viewer");
  const { page, close } = await bench.signIn(viewer);
  await page.getByRole("link", { name: "Usage" }).waitFor();
  await expect.poll(() => page.getByRole("link", { name: "Workloads" }).count()).toBe(0);
  for (const path of ["workloads", "workloads/new", `workloads/${rule.rule_id}`, `workloads/${rule.rule_id}/edit`]) {
    await page.goto(`${bench.url}/${path}`);
    await page.getByText("your role does not include it").waitFor();
  }
  await expect(bench.call(viewer, "federation/rules/list")).rejects.toThrow("403");
  await close();
});

test("a rule of another organization is one that does not exist", async () => {
  const [one, other] = [await employer(), await employer()];
  const rule = await one.create();
  const { page, close } = await bench.signIn(other.owner);
  await page.goto(`${bench.url}/workloads/${rule.rule_id}`);
  await page.getByRole("alert").getByText("no such rule").waitFor();
  expect(await page.content()).not.toContain(one.audience);
  await close();
});

test.each(["light", "dark"] as const)("no page has a finding of axe in %s, from 360 px on", async (colorScheme) => {
  const { owner, create, assertion } = await employer();
  const rule = await create();
  const { page, close, findings, picture } = await opened(owner, rule, { colorScheme });
  const check = async (name: string): Promise<void> => {
    for (const width of [360, 390, 1_280, 1_440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await findings(), name).toEqual([]);
      await expect.poll(() => page.evaluate(isWiderThanPage)).toBe(false);
      await picture(`${name}-${colorScheme}-${width}`);
    }
  };
  await field(page, "A workload's token").fill(assertion({ sub: "guest" }));
  await button(page, "Check").click();
  await steps(page).first().waitFor();
  await check("workload");
  await page.goto(`${bench.url}/workloads/new`);
  await field(page, "Key").selectOption("Deployer");
  await page.getByLabel(/^Plans/).waitFor();
  await check("workload-new");
  await page.goto(`${bench.url}/workloads`);
  await page.getByRole("table", { name: "Rules" }).waitFor();
  await check("workloads");
  await close();
});
