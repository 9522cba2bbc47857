import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConsoleBench, goTo, startConsole, type Visit } from "../harness/console.ts";
import { DERIVE } from "../harness/derived-tokens.ts";
import { eventually } from "../harness/eventually.ts";
import type { JsonObject } from "../harness/http.ts";

let bench: ConsoleBench;
let users = 0;

beforeAll(async () => {
  bench = await startConsole();
});

afterAll(() => bench.close());

interface Owned {
  readonly owner: string;
  readonly keyId: string;
  derive(body?: object): Promise<JsonObject>;
  verify(token: string, body?: object): Promise<number>;
}

/** An organization with a key that derives tokens. */
async function owned(): Promise<Owned> {
  const owner = `tokens-${++users}`;
  await bench.found(owner, `Tokens ${users}`);
  const permissions = ["plans:*", "users:impersonate"];
  const { result: key } = await bench.call(owner, "api-keys/create", { name: "Agents", permissions });
  return {
    owner,
    keyId: key.key_id,
    async derive(body = {}) {
      const asked = { scopes: ["plans:read"], ...body };
      const answer = await bench.latchkey.call(DERIVE, asked, { "x-api-key": key.key });
      expect(answer.status, answer.text).toBe(200);
      return answer.json.result;
    },
    async verify(token, body = {}) {
      const headers = { authorization: `Bearer ${token}` };
      return (await bench.latchkey.call("/api/v1/auth/verify", body, headers)).status;
    },
  };
}

async function openKey(
  sub: string,
  keyId: string,
  settings: Parameters<ConsoleBench["signIn"]>[1] = {},
): Promise<Visit> {
  const visit = await bench.signIn(sub, settings);
  await visit.page.goto(`${bench.url}/keys/${keyId}`);
  await section(visit.page).waitFor();
  return visit;
}

const section = (page: Page) => page.getByRole("region", { name: "Tokens", exact: true });
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const isWiderThanPage = "document.documentElement.scrollWidth > document.documentElement.clientWidth";

test("a key's page lists its tokens: the users they act for, what they may, when they end", async () => {
  const { owner, keyId, derive } = await owned();
  const { page, findings, close } = await openKey(owner, keyId);
  await section(page).getByText("No token stands for this key now.").waitFor();
  expect(await findings()).toEqual([]);
  const plain = await derive({ ttl_seconds: 600 });
  const forUser = await derive({ user_id: "user-7", scopes: ["plans:read", "plans:write", "plans:*"] });
  await page.reload();
  const rows = section(page).getByRole("table").getByRole("row");
  await rows
    .filter({ hasText: String(plain.token_id).slice(0, 12) })
    .first()
    .waitFor();
  const texts = await rows.allTextContents();
  expect(texts).toHaveLength(3);
  expect(texts[1]).toMatch(/user-7plans:readplans:write\+1 morein 1[45] minutesissued/);
  expect(texts[2]).toMatch(/noneplans:readin (9|10) minutesissued/);
  expect(await page.content()).not.toContain(String(forUser.token));
  await close();
});

test("a token is revoked after a question, by keyboard, and is refused from then on", async () => {
  const { owner, keyId, derive, verify } = await owned();
  const [kept, revoked] = [await derive(), await derive()];
  const { page, picture, findings, close } = await openKey(owner, keyId);
  await button(page, `Revoke ${revoked.token_id}`).focus();
  await page.keyboard.press("Enter");
  const question = page.getByRole("alertdialog");
  await question.getByText(String(revoked.token_id)).waitFor();
  expect(await findings()).toEqual([]);
  await page.keyboard.press("Escape");
  await question.waitFor({ state: "detached" });
  await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe(`Revoke ${revoked.token_id}`);
  expect(await verify(revoked.token)).toBe(200);
  await page.keyboard.press("Enter");
  await question.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("Token revoked", { exact: true }).waitFor();
  await section(page)
    .getByRole("row", { name: /Revoked just now/ })
    .waitFor();
  expect(await button(page, `Revoke ${revoked.token_id}`).count()).toBe(0);
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Tokens");
  expect([await verify(revoked.token), await verify(kept.token)]).toEqual([401, 200]);
  await picture("key-tokens");
  await goTo(page, "Activity");
  await page.getByText(`You revoked the token ${revoked.token_id}`).waitFor();
  await page.getByText(`The key Agents derived the token ${kept.token_id}`).waitFor();
  await close();
});

test("a token that is not revoked says why in the API's words", async () => {
  const { owner, keyId, derive } = await owned();
  const { token_id } = await derive();
  const { page, close } = await openKey(owner, keyId);
  await page.route("**/latchkey.v1.TokenService/RevokeToken", (route) =>
    route.fulfill({ status: 500, json: { code: "internal", message: "The database is away." } }),
  );
  await button(page, `Revoke ${token_id}`).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("alertdialog").getByRole("alert").getByText("The database is away.").waitFor();
  await close();
});

test("the shown command derives a token", async () => {
  const { owner, keyId } = await owned();
  const { page, close } = await openKey(owner, keyId);
  await section(page).getByText("Derive a token").click();
  const code = section(page).locator("pre");
  const { origin } = new URL(bench.url);
  await expect.poll(() => code.textContent()).toContain(`curl ${origin}${DERIVE}`);
  const [, body = ""] = /-d '(.*)'/.exec((await code.textContent()) ?? "") ?? [];
  const { derive } = await owned();
  expect((await derive(JSON.parse(body))).token_id).toMatch(/^tok_/);
  await section(page).getByRole("tab", { name: "curl" }).press("ArrowRight");
  await expect.poll(() => code.textContent()).toContain("client.tokens.deriveToken");
  await close();
});

test("a service that issues no tokens says so, without an error", async () => {
  const { owner, keyId } = await owned();
  const { page, close } = await bench.signIn(owner);
  const message = "This service issues no tokens of its own; have its operator set TOKEN_SECRET and TOKEN_ISSUER.";
  await page.route("**/latchkey.v1.TokenService/ListTokens", (route) =>
    route.fulfill({ status: 400, json: { code: "failed_precondition", reason: "tokens_not_configured", message } }),
  );
  await page.goto(`${bench.url}/keys/${keyId}`);
  await section(page).getByText(message).waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  await close();
});

test("a viewer sees tokens and revokes none; a publishable key has none", async () => {
  const { owner, keyId, derive } = await owned();
  const { token_id } = await derive();
  const viewer = `${owner}-viewer`;
  await bench.join(viewer, owner, "viewer");
  const { page, close } = await openKey(viewer, keyId);
  await section(page).getByRole("table").waitFor();
  expect(await button(page, /^Revoke/).count()).toBe(0);
  await expect(bench.call(viewer, "tokens/revoke", { token_id })).rejects.toThrow("403");
  const oidc = { issuer: "https://login.example.com", audience: "app", jwksUrl: "https://login.example.com/jwks.json" };
  const { result: publishable } = await bench.call(owner, "api-keys/create", {
    ...{ name: "Page", permissions: ["plans:read"], key_type: "KEY_TYPE_PUBLISHABLE" },
    publishableConfig: { oidc },
  });
  await page.goto(`${bench.url}/keys/${publishable.key_id}`);
  await page.getByRole("heading", { name: "Page" }).waitFor();
  await page.getByRole("heading", { name: "Test this key" }).waitFor();
  expect(await section(page).count()).toBe(0);
  await close();
});

test.each(["light", "dark"] as const)(
  "the section has no finding of axe in %s, from 360 px on",
  async (colorScheme) => {
    const { owner, keyId, derive } = await owned();
    await derive({ user_id: "user-7" });
    const { page, close, findings, picture } = await openKey(owner, keyId, { colorScheme });
    await section(page).getByRole("table").waitFor();
    await section(page).getByText("Derive a token").click();
    for (const width of [360, 390, 1_280, 1_440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await findings()).toEqual([]);
      await expect.poll(() => page.evaluate(isWiderThanPage)).toBe(false);
      await picture(`key-tokens-${colorScheme}-${width}`);
    }
    await close();
  },
);

test("requests name the token that was sent, and are filtered by it", async () => {
  const { owner, keyId, derive, verify } = await owned();
  const [one, other] = [await derive(), await derive()];
  await verify(one.token, { scope: "plans:write" });
  await verify(other.token, { scope: "plans:write" });
  await eventually(async () =>
    expect((await bench.call(owner, "requests/list", { token_id: one.token_id })).requests).toHaveLength(1),
  );
  const { page, findings, picture, close } = await openKey(owner, keyId);
  await section(page)
    .getByRole("link", { name: `Requests with ${one.token_id}` })
    .click();
  await page.getByRole("heading", { name: "Requests" }).waitFor();
  expect(new URL(page.url()).search).toBe(`?token=${one.token_id}`);
  await expect.poll(() => page.locator("tr.request").count()).toBe(1);
  await expect.poll(() => page.getByLabel("Token id").inputValue()).toBe(one.token_id);
  await page.getByText("Scope missing").locator("visible=true").first().click();
  const details = page.locator(".request-details");
  await details.getByText(String(one.token_id)).waitFor();
  expect(await findings()).toEqual([]);
  await picture("requests-of-token");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect.poll(() => page.locator("tr.request").count()).toBeGreaterThan(1);
  await page.getByLabel("Token id").fill(` ${other.token_id} `);
  await expect.poll(() => page.locator("tr.request").count()).toBe(1);
  await page.reload();
  await expect.poll(() => page.locator("tr.request").count()).toBe(1);
  await close();
});
