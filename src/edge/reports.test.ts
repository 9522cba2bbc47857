// promise: audit.no-hiding
import type { MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import type { EdgeImpersonationsSchema } from "../../gen/latchkey/v1/edge_service_pb.ts";
import type { Reports, ReportsContext } from "./reports.ts";
import { createReports } from "./reports.ts";

type Sent = MessageInitShape<typeof EdgeImpersonationsSchema>[];

const AT = new Date("2026-03-01T12:00:00Z");

/** The uses of each report that the service got. `meanwhile` happens while it has one. */
function start(meanwhile: (reports: Reports) => void = () => {}) {
  const sent: number[] = [];
  const client: ReportsContext["client"] = {
    async report({ uses = [] }) {
      sent.push(uses.reduce((sum, { count = 0n }) => sum + Number(count), 0));
      meanwhile(reports);
      return {} as never;
    },
  };
  const reports = createReports({ client, keepsRequests: () => false });
  return { reports, sent };
}

test("what is decided while a report is under way waits for the next: under load there is one report each time, and not one after the other", async () => {
  const { reports, sent } = start(({ usage }) => void usage.count("key_1", { failure: undefined, at: AT }));
  reports.usage.count("key_1", { failure: undefined, at: AT });
  await reports.flush();
  expect(sent).toEqual([1]);
  await reports.flush();
  expect(sent).toEqual([1, 1]);
});

// threat: X19
test("calls for users are reported with every user, and there is room again for what was reported", async () => {
  const reported: Sent = [];
  const client: ReportsContext["client"] = {
    async report({ impersonations = [] }) {
      reported.push(...impersonations);
      return {} as never;
    },
  };
  const { impersonations, flush } = createReports({ client, keepsRequests: () => false });
  const callerOf = (onBehalfOf: string, keyId = "key_1") => ({ tenantId: "ten_1", key: { keyId }, onBehalfOf });
  let users = 0;
  while (impersonations.hasRoom(AT, callerOf(`u${users}`)))
    impersonations.record(AT, { requestId: "req_1", address: null }, callerOf(`u${users++}`));
  impersonations.record(AT, { requestId: "req_2", address: null }, callerOf("u0"));
  expect(users).toBe(5_000);
  expect(impersonations.hasRoom(AT, callerOf("u1", "key_2"))).toBe(true);
  await flush();
  expect(impersonations.hasRoom(AT, callerOf("another"))).toBe(true);
  await flush();
  expect(new Set(reported.map(({ userId }) => userId)).size).toBe(5_000);
  expect(reported.find(({ userId }) => userId === "u0")).toMatchObject({ calls: 2, requestId: "req_1" });
});

test("what a report does not hold is sent with others at once, and each use once", async () => {
  const { reports, sent } = start();
  for (let n = 0; n < 2_500; n++) reports.usage.count(`key_${n}`, { failure: undefined, at: AT });
  await reports.flush();
  expect(sent).toEqual([1_000, 1_000, 500]);
});
