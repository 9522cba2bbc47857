import { inspect } from "node:util";
import { clone } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import * as client from "../../clients/typescript/src/index.ts";
import { create, createLatchkeyClient, IssuedKeySchema, isDenial } from "../../clients/typescript/src/index.ts";
import { dashboardClient, secretKeyClient } from "../harness/clients.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { newOrganization } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();

describe("what an answer with a secret shows", async () => {
  const dashboard = dashboardClient(latchkey);
  const created = await dashboard.apiKeys.createApiKey({ name: "k", permissions: ["conversations:*"] });
  const { keyId = "", key = "" } = created.result ?? {};
  const rotated = await dashboard.apiKeys.rotateApiKey({ keyId });

  test.each([
    ["created", created],
    ["rotated", rotated],
  ])("of a key that was %s: console.log and util.inspect redact it, JSON.stringify does not", (_how, { result }) => {
    const secret = result?.key ?? "";
    expect(secret).toMatch(/^sk_\w{20,}$/);
    for (const value of [result, { result }, [{ deep: { result } }]]) {
      const printed = inspect(value, { depth: 10, showHidden: true });
      expect(printed).toContain("key: '[redacted]'");
      expect(printed).toContain(`keyId: '${result?.keyId}'`);
      expect(printed).not.toContain(secret);
      expect(JSON.stringify(value)).toContain(secret);
    }
    expect(clone(IssuedKeySchema, result ?? create(IssuedKeySchema)).key).toBe(secret);
  });

  test("of an invitation: its token is redacted in the same way", async () => {
    const { org, owner } = await newOrganization(latchkey);
    const claims = { sub: owner.sub, email: owner.email, email_verified: true, tenant_id: org.tenant_id };
    const getUserToken = (): Promise<string> => latchkey.dashboardToken(claims);
    const { orgs } = createLatchkeyClient({ baseUrl: latchkey.url, getUserToken });
    const invitation = await orgs.createInvitation({ email: "a@example.com", role: "viewer" });
    expect(invitation.token).toMatch(/^inv_/);
    expect(inspect(invitation)).toContain("token: '[redacted]'");
    expect(JSON.parse(JSON.stringify(invitation)).token).toBe(invitation.token);
  });

  test("and nothing else: neither clients nor errors show credentials", async () => {
    const client = secretKeyClient(latchkey, key);
    const err = await client.apiKeys.listApiKeys({}).catch((err: unknown) => err);
    expect(isDenial(err)).toBe(true);
    for (const text of [inspect(client), inspect(err), JSON.stringify(err), ...textsIn(client), ...textsIn(err)]) {
      expect(text).not.toContain(key);
    }
  });
});

/** All texts that ten steps from a value lead to, by properties, also hidden ones, and by entries of maps and sets. */
function textsIn(root: unknown): Set<string> {
  const texts = new Set<string>();
  const seen = new Set<object>();
  let values: readonly unknown[] = [root];
  for (let depth = 0; depth <= 10; depth++) {
    const objects = values.filter(
      (value) => (typeof value === "object" && value !== null) || typeof value === "function",
    );
    for (const value of values) if (typeof value === "string") texts.add(value);
    values = [...new Set(objects)].flatMap((object) => {
      if (seen.has(object)) return [];
      seen.add(object);
      const properties = Object.values(Object.getOwnPropertyDescriptors(object)).map(({ value }) => value);
      const symbols = Object.getOwnPropertySymbols(object).map(
        (symbol) => Object.getOwnPropertyDescriptor(object, symbol)?.value,
      );
      const entries = object instanceof Map ? [...object].flat() : object instanceof Set ? [...object] : [];
      return [...Object.getOwnPropertyNames(object), ...properties, ...symbols, ...entries];
    });
  }
  return texts;
}

test("texts are found in hidden properties, behind symbols and in maps", () => {
  const value = Object.defineProperty({ [Symbol("b")]: new Map([["c", [{ d: "e" }]]]) }, "f", { value: 1 });
  for (const text of ["c", "e", "f"]) expect(textsIn(value)).toContain(text);
});

test("each field that holds a key or a token is marked as a secret", () => {
  const seen: string[] = [];
  for (const desc of Object.values(client)) {
    if (typeof desc !== "object" || !("kind" in desc) || desc.kind !== "message") continue;
    for (const { localName, proto, parent, message } of desc.fields) {
      const isSecret = message === undefined && /^(?:key|token|secret|assertion)$/.test(localName);
      expect(proto.options?.debugRedact ?? false, `${parent.name}.${localName}`).toBe(isSecret);
      if (isSecret) seen.push(`${parent.name}.${localName}`);
    }
  }
  expect(seen).toEqual(expect.arrayContaining(["IssuedKey.key", "CreateInvitationResponse.token"]));
});
