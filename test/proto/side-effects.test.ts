import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { policy } from "../../gen/latchkey/v1/policy_pb.ts";
import { SERVICES } from "../harness/services.ts";

/** What reads alone are named. */
const READ = /^(?:Explain|Find|Get|List)/;
/** Reads of another name. */
const OTHER_READS = ["PreviewInvitation", "Verify"];

const methods = SERVICES.flatMap((service) => service.methods);

const isRead = ({ idempotency }: DescMethod): boolean => idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;

test("the RPCs without side effects, which the clients repeat, are those that read", () => {
  expect(methods.length).toBeGreaterThan(40);
  const named = methods.filter(({ name }) => READ.test(name) || OTHER_READS.includes(name));
  expect(methods.filter(isRead).map(({ name }) => name)).toEqual(named.map(({ name }) => name));
});

test("an RPC whose changes are in the audit trail, or that makes a secret, has side effects", () => {
  const changing = methods.filter((method) => {
    const { auditAction, noStore } = getOption(method, policy);
    return auditAction !== "" || noStore;
  });
  expect(changing.length).toBeGreaterThan(10);
  expect(changing.filter(isRead).map(({ name }) => name)).toEqual([]);
});
