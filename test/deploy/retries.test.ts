// promise: verify.deploys
import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { isRepeatable } from "../../clients/typescript/src/repeatable.ts";
import { OPEN_RPCS, RPCS } from "../harness/rpcs.ts";
import { SERVICES } from "../harness/services.ts";
import { readText } from "./files.ts";

/** Every RPC that a load balancer passes on, with both of its paths, and whether it may be sent to a second replica. */
const CALLS = [...RPCS, ...OPEN_RPCS]
  .filter(({ procedure }) => !procedure.includes("OperatorService"))
  .flatMap(({ path, procedure }) => [path, procedure].map((each) => ({ path: each, isRead: isRead(procedure) })));

function isRead(procedure: string): boolean {
  const method = SERVICES.flatMap((service) => service.methods).find(
    ({ parent, name }) => `/${parent.typeName}/${name}` === procedure,
  );
  if (method === undefined) throw new Error(`no service has ${procedure}`);
  return isRepeatable(method, create(method.input));
}

describe("a replica's failure", () => {
  test("sends what only reads, and nothing else, to the other replica: nginx", async () => {
    const locations = (await readText("deploy/compose/nginx.conf")).split(/^ {4}location /m).slice(1);
    const exact = locations.filter((location) => location.startsWith("= "));
    const expressions = locations.filter((location) => location.startsWith("~ "));
    // An exact location goes before an expression, and both before a prefix.
    const locationOf = (path: string) =>
      exact.find((location) => location.startsWith(`= ${path} {`)) ??
      expressions.find((location) => new RegExp(location.split(" ")[1] ?? "").test(path)) ??
      "";
    for (const { path, isRead } of CALLS)
      expect([path, /non_idempotent/.test(locationOf(path))]).toEqual([path, isRead]);
    for (const location of locations.filter((each) => /grpc_pass/.test(each)))
      expect(/grpc_next_upstream/.test(location), location).toBe(/proxy_next_upstream/.test(location));
  });

  test("sends what only reads, and nothing else, to the other replica: HAProxy", async () => {
    const [, http = "", grpc = ""] = (await readText("deploy/haproxy/haproxy.cfg")).split(/^backend /m);
    for (const [backend, prefix] of [
      [http, "/"],
      [grpc, "/latchkey.v1."],
    ] as const) {
      expect(backend).toContain("http-request disable-l7-retry if !verifies !waits !reads\n");
      const paths = [...backend.matchAll(/acl \w+ +path (.*)$/gm)].flatMap(([, list = ""]) => list.split(" "));
      const expressions = [...backend.matchAll(/acl \w+ +path_reg (.*)$/gm)].map(
        ([, source = ""]) => new RegExp(source),
      );
      for (const { path, isRead } of CALLS.filter((call) => call.path.startsWith(prefix))) {
        const isRetried = paths.includes(path) || expressions.some((expression) => expression.test(path));
        expect([path, isRetried]).toEqual([path, isRead]);
      }
    }
  });
});
