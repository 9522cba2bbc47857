import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { isSigned } from "./webhook-signature.ts";

/** The example of the Standard Webhooks specification. */
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const BODY = Buffer.from('{"test": 2432232314}');
const SIGNED = {
  "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
  "webhook-timestamp": "1614265330",
  "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};
const AT = new Date(1_614_265_330_000);
const later = (ms: number) => new Date(AT.getTime() + ms);

describe("a signature of Standard Webhooks", () => {
  test("is valid with its secret, in each form of it, and with one of two secrets", () => {
    for (const secret of [SECRET, `v1,${SECRET}`, SECRET.slice("whsec_".length)]) {
      expect(isSigned([secret], SIGNED, BODY, AT)).toBe(true);
      expect(isSigned(["whsec_b3RoZXI=", secret], SIGNED, BODY, AT)).toBe(true);
    }
  });

  test("is valid among several, with a space or, as Supabase does, a comma and a space between them", () => {
    const signature = SIGNED["webhook-signature"];
    for (const list of [`v1,AAAA ${signature}`, `v1,AAAA, ${signature}`, `v1a,x ${signature}`]) {
      expect(isSigned([SECRET], { ...SIGNED, "webhook-signature": list }, BODY, AT)).toBe(true);
    }
  });

  test("is valid for 5 minutes before and after its time", () => {
    for (const ms of [-300_000, 300_000]) expect(isSigned([SECRET], SIGNED, BODY, later(ms))).toBe(true);
    for (const ms of [-301_000, 301_000]) expect(isSigned([SECRET], SIGNED, BODY, later(ms))).toBe(false);
  });

  test.each([
    ["another body", SIGNED, Buffer.from('{"test": 2432232315}'), [SECRET]],
    ["another id", { ...SIGNED, "webhook-id": "msg_other" }, BODY, [SECRET]],
    ["no id", { ...SIGNED, "webhook-id": undefined }, BODY, [SECRET]],
    ["another time", { ...SIGNED, "webhook-timestamp": "1614265331" }, BODY, [SECRET]],
    ["a time that is no number", { ...SIGNED, "webhook-timestamp": "1e10" }, BODY, [SECRET]],
    [
      "another version",
      { ...SIGNED, "webhook-signature": SIGNED["webhook-signature"].replace("v1", "v2") },
      BODY,
      [SECRET],
    ],
    ["a part of it", { ...SIGNED, "webhook-signature": "v1,g0hM9SsE" }, BODY, [SECRET]],
    ["an empty one", { ...SIGNED, "webhook-signature": "v1," }, BODY, [SECRET]],
    ["none", {}, BODY, [SECRET]],
    ["another secret", SIGNED, BODY, ["whsec_b3RoZXI="]],
    ["no secret", SIGNED, BODY, []],
  ])("is invalid with %s", (_what, headers, body, secrets) => {
    expect(isSigned(secrets, headers, body, AT)).toBe(false);
  });
});

test.each([
  "a=bcdefghijklmnopqrstuvwxyz0123456789",
  "pass=bcdefghijklmnopqrstuvwxyz0123456789",
  "whsec_YWJj",
  "whsec_",
  "",
])("a signature with what Node decodes of %j is invalid", (secret) => {
  for (const key of ["", "\xa5\xab\x2c", Buffer.from(secret, "base64"), Buffer.from(secret.slice(6), "base64")]) {
    const mac = createHmac("sha256", key)
      .update(`${SIGNED["webhook-id"]}.${SIGNED["webhook-timestamp"]}.`)
      .update(BODY)
      .digest("base64");
    expect(isSigned([secret], { ...SIGNED, "webhook-signature": `v1,${mac}` }, BODY, AT)).toBe(false);
  }
});

describe("a signature of Zitadel", () => {
  const secret = "a-signing-key-as-text";
  const time = "1614265330";
  const mac = createHmac("sha256", secret).update(`${time}.`).update(BODY).digest("hex");

  test("is valid with the secret as text, also among others", () => {
    for (const value of [`t=${time},v1=${mac}`, `t=${time},v1=00,v1=${mac}`]) {
      expect(isSigned([secret], { "zitadel-signature": value }, BODY, AT)).toBe(true);
    }
  });

  test("is invalid with another time, body or secret, and after 5 minutes", () => {
    const headers = { "zitadel-signature": `t=${time},v1=${mac}` };
    expect(isSigned([secret], { "zitadel-signature": `t=1614265331,v1=${mac}` }, BODY, AT)).toBe(false);
    expect(isSigned([secret], headers, Buffer.from("{}"), AT)).toBe(false);
    expect(isSigned(["other"], headers, BODY, AT)).toBe(false);
    expect(isSigned([secret], headers, BODY, later(301_000))).toBe(false);
  });
});
