// promise: imported.hashes, imported.own-first, imported.peppers
import { describe, expect, test } from "vitest";
import { keyFormat, VECTORS } from "../../../test/harness/key-format-vectors.ts";
import { newCall, startGate } from "../../../test/harness/memory-gate.ts";
import type { CredentialHeaders } from "../../domain/access/credentials.ts";
import { makeSecret } from "../../domain/credentials/secret.ts";
import { checkedFormat } from "../../domain/key-formats/checked-format.ts";
import type { KeyFormat } from "../../domain/key-formats/key-format.ts";
import type { ServiceGateContext } from "./service-gate.ts";

const LIST_THREADS = "/api/v1/llm/gateway/list-threads";
const LIVE = keyFormat({ name: "live", prefix: "sk_live_", lengthMin: 40, lengthMax: 48, isBearer: true });
const LIVE_KEY = "sk_live_4eC39HqLyjWDarjtT1zdp7dcXk20Ab91";

/** A gate with formats, and the id of the key that it admits or the reason for its denial. */
async function startWith(formats: readonly KeyFormat[], change?: Parameters<typeof startGate>[0]) {
  const started = await startGate(change);
  started.formats.push(...formats);
  return {
    ...started,
    async use(credentials: Partial<CredentialHeaders>): Promise<string> {
      const call = newCall(credentials);
      try {
        const principal = await started.gate.check(started.methodOf(LIST_THREADS), call);
        return "key" in principal ? principal.key.keyId : principal.kind;
      } catch (err) {
        if (call.denial === undefined) throw err;
        return call.denial.reason;
      }
    },
  };
}

/** Counts the look-ups of keys. */
function counting(counted: { lookUps: number }) {
  return ({ admission }: ServiceGateContext): Partial<ServiceGateContext> => ({
    admission: {
      ...admission,
      find(secretHash) {
        counted.lookUps += 1;
        return admission.find(secretHash);
      },
    },
  });
}

test.each(VECTORS)("an imported key of $system is admitted by its text, and by no text beside it", async (vector) => {
  const { text, format, pepper = "" } = vector;
  const peppers = new Map([[format.pepper, pepper]]);
  const { use, importKey, peppers: known } = await startWith([{ ...checkedFormat(format, peppers), ...created }]);
  if (pepper !== "") known.set(format.pepper, pepper);
  const { keyId } = await importKey(text);
  expect(await use({ apiKey: [text] })).toBe(keyId);
  const last = text.endsWith("0") ? "1" : "0";
  expect(await use({ apiKey: [text.slice(0, -1) + last] })).toBe("api_key_not_found");
  expect(await use({ apiKey: [vector.digest] })).toMatch(/^api_key_(invalid|not_found)$/);
});

// threat: K27
test.each(VECTORS)(
  "a text in the form of $system takes one look-up by its hash, whether it is a key, no key, or differs from one in a character",
  async ({ text, format, pepper = "" }) => {
    const peppers = new Map([[format.pepper, pepper]]);
    const counted = { lookUps: 0 };
    const formats = [{ ...checkedFormat(format, peppers), ...created }];
    const { use, importKey, peppers: known } = await startWith(formats, counting(counted));
    if (pepper !== "") known.set(format.pepper, pepper);
    await importKey(text);
    const other = (place: number) => {
      const character = text.charAt(place) === "7" ? "8" : "7";
      return text.slice(0, place) + character + text.slice(place + 1);
    };
    const places = [format.prefix.length, Math.floor(text.length / 2), text.length - 1];
    for (const sent of [text, ...places.map(other)]) {
      counted.lookUps = 0;
      await use({ apiKey: [sent] });
      expect(counted.lookUps, sent).toBe(1);
    }
    counted.lookUps = 0;
    for (const sent of [`${text}\u00e9`, text.slice(0, 12), text.repeat(20)]) await use({ apiKey: [sent] });
    expect(counted.lookUps).toBe(0);
  },
);

const created = { createdAt: new Date("2026-01-31T12:00:00.123Z") };

describe("a text", () => {
  test("that fits no format is api_key_invalid, or mistyped, without a look-up of any key", async () => {
    const counted = { lookUps: 0 };
    const { use } = await startWith([LIVE], counting(counted));
    expect(await use({ apiKey: ["acme_live_3f9a1c5e7b2d4f60819a2b3c4d5e6f70"] })).toBe("api_key_invalid");
    expect(await use({ apiKey: ["x".repeat(8_000)] })).toBe("api_key_invalid");
    expect(await use({ apiKey: [`${LIVE_KEY}%7C`] })).toBe("api_key_not_found");
    expect(counted.lookUps).toBe(0);
  });

  // threat: K24
  test("that is a key of this service by its checksum is that key, although it fits a format", async () => {
    const { use, storeKey } = await startWith([keyFormat({ prefix: "sk_", lengthMin: 39, lengthMax: 39 })]);
    const { secret, key } = await storeKey({ permissions: ["conversations:read"] });
    expect(await use({ apiKey: [secret] })).toBe(key.keyId);
    expect(await use({ authorization: [`Bearer ${secret}`] })).toBe("jwt_malformed");
  });
});

describe("Authorization: Bearer", () => {
  test("holds a key only of a format that says so, and only without X-API-Key", async () => {
    const closed = keyFormat({ name: "closed", prefix: "acme_", lengthMin: 37, lengthMax: 37, alphabet: "HEX" });
    const { use, importKey } = await startWith([LIVE, closed]);
    const { keyId } = await importKey(LIVE_KEY);
    const text = "acme_3f9a1c5e7b2d4f60819a2b3c4d5e6f70";
    await importKey(text);
    expect(await use({ authorization: [`Bearer ${LIVE_KEY}`] })).toBe(keyId);
    expect(await use({ authorization: [`bearer\t${LIVE_KEY}`] })).toBe(keyId);
    expect(await use({ authorization: [`Bearer ${text}`] })).toBe("jwt_malformed");
    expect(await use({ authorization: [`DPoP ${LIVE_KEY}`] })).toBe("jwt_malformed");
    expect(await use({ apiKey: [makeSecret("secret")], authorization: [`Bearer ${LIVE_KEY}`] })).toBe(
      "api_key_not_found",
    );
  });

  // threat: K24
  test("with an unknown key of such a format is api_key_not_found, and a token stays a token", async () => {
    const visible = keyFormat({ name: "any", alphabet: "VISIBLE", lengthMin: 18, lengthMax: 512, isBearer: true });
    const { use, dashboardToken } = await startWith([visible]);
    expect(await use({ authorization: [`Bearer ${LIVE_KEY}`] })).toBe("api_key_not_found");
    const token = dashboardToken({ sub: "u1", tenant_id: "ten_2" });
    expect(await use({ authorization: [`Bearer ${token}`] })).toBe("dashboard_user");
    expect(await use({ apiKey: [token] })).toBe("api_key_invalid");
  });
});

// threat: K29
test("a key whose pepper is lost or was changed is verifier_error, whether it exists or not, and other keys are admitted", async () => {
  const format = keyFormat({ name: "peppered", prefix: "acme_", alphabet: "HEX", lengthMin: 37, lengthMax: 37 });
  const peppers = new Map([["acme", "a pepper of acme"]]);
  const hmac = { ...checkedFormat({ ...format, algorithm: "HMAC_SHA256", pepper: "acme" }, peppers), ...created };
  const { use, importKey, peppers: known } = await startWith([hmac, LIVE]);
  known.set("acme", "a pepper of acme");
  const text = "acme_3f9a1c5e7b2d4f60819a2b3c4d5e6f70";
  const [{ keyId }, other] = [await importKey(text), await importKey(LIVE_KEY)];
  expect(await use({ apiKey: [text] })).toBe(keyId);
  for (const change of [() => known.delete("acme"), () => known.set("acme", "another pepper of acme")]) {
    change();
    expect(await use({ apiKey: [text] })).toBe("verifier_error");
    expect(await use({ apiKey: [text.replace("3", "4")] })).toBe("verifier_error");
    expect(await use({ apiKey: [LIVE_KEY] })).toBe(other.keyId);
  }
  known.set("acme", "a pepper of acme");
  expect(await use({ apiKey: [text] })).toBe(keyId);
});
