// promise: imported.formats
import { expect, test } from "vitest";
import { expectConflict, expectFault, expectInvalid } from "../harness/error-answers.ts";
import { startLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const latchkey = await startLatchkey({ config: { keyPeppers: new Map([["acme", "a pepper of acme"]]) } });
const operator = operatorOf(latchkey);

const FORMAT = {
  key_format: "acme",
  prefix: "acme_",
  length_min: 40,
  length_max: 48,
  alphabet: "BASE62",
  algorithm: "SHA256",
};
const create = (members: object) => operator.call("key-formats/create", { ...FORMAT, ...members });

test.each([
  ["key_format", ["", "Acme", "a b", "x".repeat(65), "-a"]],
  ["prefix", ["x".repeat(33), "a b", "a,b", "ä"]],
  ["length_min", [0, 15, 513, 23]],
  ["length_max", [0, 39, 513]],
  ["alphabet", ["", "HEXADECIMAL", "hex"]],
  ["case", ["UPPER", "LOWER"]],
  ["algorithm", ["", "MD5"]],
  ["pepper", ["acme", "x".repeat(65)]],
  ["hashed_part", ["BEFORE_LAST"]],
  ["separator", ["|", "||", ","]],
])("%s is 400 if it cannot be", async (field, values) => {
  for (const value of values) {
    const answer = await create({ [field]: value });
    expect([value, answer.status]).toEqual([value, 400]);
    expectInvalid(answer, field);
  }
});

test("a tenant without a name, and more than 100 of them, are 400", async () => {
  expectInvalid(await create({ tenants: [""] }), "tenants[0]");
  expectInvalid(await create({ tenants: Array.from({ length: 101 }, (_, n) => `ten_${n}`) }), "tenants");
});

test("a pepper that KEY_PEPPERS_FILE lacks is 400", async () => {
  expectInvalid(await create({ algorithm: "HMAC_SHA256", pepper: "other" }), "pepper", "KEY_PEPPERS_FILE");
  expectInvalid(await create({ algorithm: "HMAC_SHA256" }), "pepper");
});

// threat: K24
test("a name that is taken, and a format that shares a text with another one, are refused", async () => {
  await operator.result("key-formats/create", { ...FORMAT, algorithm: "HMAC_SHA256", pepper: "acme" });
  expectConflict(await create({ prefix: "other_" }), "key_format", "never change");
  const overlapping = await create({ key_format: "narrower", prefix: "acme_live" });
  expectFault(overlapping, 400, "failed_precondition");
  expect(overlapping.json.reason).toBe("key_formats_overlap");
  expect(overlapping.json.message).toContain("acme");
});

test("of formats that are created at once and share a text one is created, and there are at most 32", async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => create({ key_format: `many-${n}`, prefix: `many${Math.floor(n / 2)}_` })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
  const more = Array.from({ length: 14 }, (_, n) => create({ key_format: `more-${n}`, prefix: `more${n}_` }));
  const refused = (await Promise.all(more)).filter(({ status }) => status !== 200);
  expect(refused.map(({ json }) => json.reason)).toEqual(Array(refused.length).fill("too_many_key_formats"));
  expect((await operator.answer("key-formats/list", {})).formats).toHaveLength(32);
});
