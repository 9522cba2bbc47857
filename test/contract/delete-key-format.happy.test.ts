import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const operator = operatorOf(await sharedLatchkey());

test("a deleted format is gone, its name is free, and the trail has it as it was", async () => {
  const body = { key_format: "deleted", prefix: "deleted_", length_min: 72, length_max: 72, alphabet: "HEX" };
  await operator.result("key-formats/create", { ...body, algorithm: "SHA256" });
  expect(await operator.answer("key-formats/delete", { key_format: "deleted" })).toEqual({});
  const { formats } = await operator.answer("key-formats/list", {});
  expect(formats).not.toContainEqual(expect.objectContaining({ key_format: "deleted" }));
  const { events } = await operator.answer("audit/list", { action: "key_format.deleted" });
  expect(events[0]).toMatchObject({ target_id: "deleted", changes: { algorithm: { old: "SHA256" } } });
  await operator.result("key-formats/create", { ...body, algorithm: "SHA512" });
});
