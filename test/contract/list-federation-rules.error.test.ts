import { test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { newEmployer, sharedFederation } from "../harness/federation.ts";

const service = await sharedFederation();

test.each(["page", "status", "rule_id"])(
  "the member %s is 400: the list has no pages and no filter",
  async (member) => {
    expectInvalid(await (await newEmployer(service)).call("list", { [member]: 1 }), member);
  },
);
