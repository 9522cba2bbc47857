// promise: workloads.exchange, workloads.clients
import { describe, expect, test } from "vitest";
import { EXCHANGE, JWT_TYPE, newEmployer, postForm, sharedFederation } from "../harness/federation.ts";

const service = await sharedFederation();
const { latchkey } = service;
const FORM = { grant_type: EXCHANGE, client_id: "fed_x", subject_token: "x", subject_token_type: JWT_TYPE };

describe("a form is refused, and the description names the member,", () => {
  test.each<[Record<string, string | undefined>, string, string]>([
    [{ grant_type: undefined }, "invalid_request", "grant_type"],
    [{ grant_type: "client_credentials" }, "unsupported_grant_type", "grant_type"],
    [{ client_id: undefined }, "invalid_request", "client_id"],
    [{ subject_token: undefined }, "invalid_request", "subject_token"],
    [{ subject_token_type: undefined }, "invalid_request", "subject_token_type"],
    [{ subject_token_type: "urn:ietf:params:oauth:token-type:saml2" }, "invalid_request", "subject_token_type"],
    [
      { requested_token_type: "urn:ietf:params:oauth:token-type:refresh_token" },
      "invalid_request",
      "requested_token_type",
    ],
    [{ actor_token: "x" }, "invalid_request", "actor_token"],
    [{ audience: "https://other.example" }, "invalid_target", "audience"],
    [{ resource: "https://other.example" }, "invalid_target", "resource"],
    [{ client_id: "fed_\0" }, "invalid_request", "client_id: must not contain the NUL character"],
    [Object.fromEntries(Array.from({ length: 61 }, (_, n) => [`n${n}`, ""])), "invalid_request", "at most 64 names"],
  ])("%.80j", async (changes, error, named) => {
    const { status, json, headers } = await postForm(latchkey, { ...FORM, ...changes });
    expect([status, json.error, headers.get("cache-control")]).toEqual([400, error, "no-store"]);
    expect(json.error_description).toContain(named);
    expect(Object.keys(json)).toEqual(["error", "error_description"]);
  });

  test("sent as JSON, or with a member twice", async () => {
    const send = (body: string, type: string) =>
      fetch(`${latchkey.url}/oauth/token`, { method: "POST", body, headers: { "content-type": type } });
    const answers = [
      await send(JSON.stringify(FORM), "application/json"),
      await send(`${new URLSearchParams(FORM)}&client_id=fed_y`, "application/x-www-form-urlencoded"),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: "invalid_request" });
    }
  });

  test("sent by GET: 405", async () => {
    const answer = await fetch(`${latchkey.url}/oauth/token`);
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
  });
});

test("keys of the issuer that cannot be fetched are 503 with the time to wait, and the token stays unused", async () => {
  const employer = await newEmployer(service);
  const { rule_id } = await employer.create({ jwks_url: `${employer.platform.issuer}/keys` });
  const { document } = employer.platform;
  const { respond } = document;
  document.respond = (_req, res) => res.writeHead(500).end();
  const assertion = employer.assertion();
  const answer = await employer.exchange(rule_id, assertion);
  expect([answer.status, answer.json.error]).toEqual([503, "temporarily_unavailable"]);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  document.respond = respond;
  latchkey.clock.advance(60_000);
  await employer.token(rule_id, assertion);
});
