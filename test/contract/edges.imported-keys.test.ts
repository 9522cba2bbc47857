// promise: imported.formats, imported.peppers
import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { EDGE_TOKEN, outcome, startEdge } from "../harness/edges.ts";
import { createFormat, drawText, importAll, rowOf } from "../harness/imports.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { startLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const PEPPER = "a pepper of the tests";
const latchkey = await startLatchkey({ config: { edgeTokens: [EDGE_TOKEN], keyPeppers: new Map([["acme", PEPPER]]) } });
const operator = operatorOf(latchkey);

test("an edge decides imported keys and junk by itself, and a format binds before it is answered", async () => {
  const edge = await startEdge(latchkey.url);
  const { tenant, result } = dashboardOf(latchkey);
  const junk = "other_3f9a1c5e7b2d4f60819a2b3c4d5e6f70";
  expect(await outcome(edge, { "x-api-key": junk })).toBe("api_key_invalid");
  const format = await createFormat(latchkey);
  const text = drawText(format);
  expect(await outcome(edge, { "x-api-key": text })).toBe("api_key_not_found");
  const [key_id] = await importAll(operator, [rowOf(format, text, { tenant_id: tenant })]);
  expect(await outcome(edge, { "x-api-key": text })).toBe("admitted");
  expect(await outcome(edge, { "x-api-key": junk })).toBe("api_key_invalid");
  expect(edge.status.asked).toBe(0);
  await result("revoke", { key_id });
  expect(await outcome(edge, { "x-api-key": text })).toBe("api_key_revoked");
});

test("an edge without peppers decides keys of such a format after it has asked for their hash, by the format of now", async () => {
  const edge = await startEdge(latchkey.url);
  const format = await createFormat(latchkey, { algorithm: "HMAC_SHA256", pepper: "acme" });
  const text = drawText(format);
  const digest = createHmac("sha256", PEPPER).update(text).digest("hex");
  const { tenant } = dashboardOf(latchkey);
  const [key_id] = await importAll(operator, [rowOf(format, text, { tenant_id: tenant, hash: { digest } })]);
  expect(await outcome(edge, { "x-api-key": drawText(format) })).toBe("api_key_not_found");
  for (const _ of [1, 2]) expect(await outcome(edge, { "x-api-key": text })).toBe("admitted");
  expect(edge.status.asked).toBe(0);
  await operator.result("keys/revoke", { key_id });
  expect(await outcome(edge, { "x-api-key": text })).toBe("api_key_revoked");
  const { key_format } = format;
  await operator.call("key-formats/delete", { key_format });
  expect(await outcome(edge, { "x-api-key": text })).toBe("api_key_invalid");
  const { created_at: _, problem: __, ...declared } = format;
  await operator.call("key-formats/create", { ...declared, algorithm: "HMAC_SHA512" });
  expect(await outcome(edge, { "x-api-key": text })).toBe("api_key_not_found");
});
