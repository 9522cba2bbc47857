import { describe, expect, test } from "vitest";
import { federatedTokens } from "../../clients/typescript/src/federation.ts";
import {
  Code,
  createLatchkeyClient,
  type Federation,
  isDenial,
  type LatchkeyClientOptions,
} from "../../clients/typescript/src/index.ts";
import { type Employer, newEmployer, sharedFederation } from "../harness/federation.ts";

const service = await sharedFederation();
const { latchkey } = service;

/** A client of a workload, with how often it exchanged, and for how long its clock is ahead. */
async function workload(options: { readonly rule?: object; readonly federation?: Partial<Federation> } = {}) {
  const employer = await newEmployer(service);
  const { rule_id: rule } = await employer.create(options.rule);
  const requests: string[] = [];
  let assertions = 0;
  const federation: Federation = {
    rule,
    getAssertion() {
      assertions += 1;
      return employer.assertion();
    },
    ...options.federation,
  };
  const watched: typeof fetch = (...args) => {
    requests.push(new URL(String(args[0] instanceof Request ? args[0].url : args[0])).pathname);
    return fetch(...args);
  };
  const client = createLatchkeyClient({ baseUrl: latchkey.url, federation, fetch: watched, retry: { attemptsMax: 1 } });
  return { client, employer, rule, federation, watched, requests, assertions: () => assertions };
}

const exchanges = (requests: readonly string[]): number => requests.filter((path) => path === "/oauth/token").length;

describe("a client with a federation in place of a key", () => {
  test("exchanges its workload's token once for all calls, and calls as the rule's key", async () => {
    const { client, employer, requests, assertions } = await workload();
    const answers = await Promise.all(Array.from({ length: 10 }, () => client.auth.verify({})));
    for (const { keyId, tenantId, tokenId } of answers) {
      expect([keyId, tenantId]).toEqual([employer.key.key_id, employer.tenant]);
      expect(tokenId).toMatch(/^tok_/);
    }
    expect([exchanges(requests), assertions()]).toEqual([1, 1]);
  });

  test("asks for the scopes that it names, and no more", async () => {
    const rule = { scopes: ["conversations:read", "plans:read"] };
    const { client } = await workload({ rule, federation: { scopes: ["plans:read"] } });
    expect((await client.auth.verify({})).permissions).toEqual(["plans:read"]);
    await expect(client.gateway.listThreads({})).rejects.toSatisfy((err) => isDenial(err, "insufficient_scope"));
  });

  test("gets a new token once, after the one that it has was revoked", async () => {
    const { client, employer, requests } = await workload();
    const { tokenId } = await client.auth.verify({});
    await latchkey.call("/api/v1/tokens/revoke", { token_id: tokenId }, employer.headers);
    const answers = await Promise.all(Array.from({ length: 5 }, () => client.auth.verify({})));
    expect(new Set(answers.map((each) => each.tokenId)).has(tokenId)).toBe(false);
    expect(exchanges(requests)).toBe(2);
  });

  test("fails as its rule does: the message says what, and repeats no token", async () => {
    const { client, employer, rule } = await workload();
    await employer.json("update", { rule_id: rule, status: "FEDERATION_RULE_STATUS_DISABLED", update_mask: "status" });
    const err = await client.auth.verify({}).catch((failure: unknown) => failure);
    expect(err).toMatchObject({ code: Code.Unauthenticated });
    expect(String(err)).toContain("invalid_grant: The token was not accepted by the rule");
    expect(String(err)).not.toMatch(/eyJ/);
  });

  test("sends nothing without a workload's token, and says whose fault it is", async () => {
    const { client, requests } = await workload({ federation: { getAssertion: () => "" } });
    await expect(client.auth.verify({})).rejects.toThrow("federation.getAssertion answered no token");
    expect(requests).toEqual([]);
  });

  test("ends a call by its signal while the workload's token does not come", async () => {
    const { client } = await workload({ federation: { getAssertion: () => new Promise<string>(() => {}) } });
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(client.auth.verify({}, { signal })).rejects.toThrow("enough");
  });
});

describe("the source of tokens", () => {
  /** As the client has it, with a clock. */
  async function source(rule: object = {}) {
    const { federation, watched, requests, employer, rule: ruleId } = await workload({ rule });
    let nowMs = 0;
    const tokens = federatedTokens(federation, { baseUrl: latchkey.url, fetch: watched, now: () => nowMs });
    const { signal } = new AbortController();
    return {
      ...{ employer, ruleId, requests },
      get: async () => tokens({ signal, refresh: false }),
      at: (seconds: number) => {
        nowMs = seconds * 1_000;
      },
    };
  }

  test("renews at two thirds of the life, without making a call wait", async () => {
    const { get, at, requests } = await source({ ttl_seconds: 90 });
    const first = await get();
    at(59);
    expect([await get(), exchanges(requests)]).toEqual([first, 1]);
    at(61);
    expect(await get()).toBe(first);
    await expect.poll(get).not.toBe(first);
    expect(exchanges(requests)).toBe(2);
  });

  test("uses the token from before while the exchange fails, with pauses, and fails when it has ended", async () => {
    const { get, at, requests, employer, ruleId } = await source({ ttl_seconds: 90 });
    const first = await get();
    await employer.json("delete", { rule_id: ruleId });
    at(61);
    expect(await get()).toBe(first);
    await expect.poll(() => exchanges(requests)).toBe(2);
    // The pause after a failure begins when the exchange has ended, which the next get shows.
    await expect.poll(async () => [await get(), exchanges(requests)]).toEqual([first, 2]);
    at(86);
    await expect(get()).rejects.toThrow("invalid_grant");
  });
});

describe("credentials that cannot work are refused at once:", () => {
  const federation = { rule: `fed_${"0".repeat(32)}`, getAssertion: () => "x" };
  test.each<[object, string]>([
    [{ federation: { ...federation, rule: "fed_x" } }, "federation.rule"],
    [{ federation: { rule: federation.rule } }, "federation.getAssertion"],
    [{ federation: { ...federation, scope: "x" } }, "scope"],
    [{ federation: "fed_x" }, "federation must be an object"],
    [{ federation, apiKey: "sk_x" }, "exclude other credentials"],
    [{ federation, accessToken: "x" }, "exclude other credentials"],
    [{ accessToken: "a b" }, "accessToken must be only the token"],
  ])("%j", (credentials, says) => {
    const options = { baseUrl: latchkey.url, ...credentials } as LatchkeyClientOptions;
    expect(() => createLatchkeyClient(options)).toThrow(says);
  });
});

describe("a client with an access token", () => {
  async function derived(employer: Employer) {
    const key = createLatchkeyClient({ baseUrl: latchkey.url, apiKey: employer.key.key });
    const { result } = await key.tokens.deriveToken({ scopes: ["plans:read"] });
    return result?.token ?? "";
  }

  test("calls as the key from which it was derived, with what the token has", async () => {
    const employer = await newEmployer(service);
    const token = await derived(employer);
    for (const accessToken of [token, () => token]) {
      const client = createLatchkeyClient({ baseUrl: latchkey.url, accessToken });
      const { keyId, permissions } = await client.auth.verify({});
      expect([keyId, permissions]).toEqual([employer.key.key_id, ["plans:read"]]);
    }
  });
});
