import { expect, test } from "vitest";
import { newEmployer, sharedFederation } from "../harness/federation.ts";

const service = await sharedFederation();

test("all rules of the tenant are listed, the oldest first, and no other tenant's", async () => {
  const [employer, other] = [await newEmployer(service), await newEmployer(service)];
  await other.create();
  const made = [await employer.create(), await employer.create({ name: "second" }), await employer.create()];
  expect((await employer.json("list", {})).rules).toEqual(made);
});
