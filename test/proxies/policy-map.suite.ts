import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type DescFile, fromBinary } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createGuard } from "../../clients/typescript/src/server/index.ts";
import { DenialReasonSchema, DenialSchema } from "../../gen/latchkey/v1/denial_pb.ts";
import { type GuardedConnect, startGuarded } from "../harness/guarded-connect.ts";
import { type Answer, toAnswer } from "../harness/http.ts";
import { newTenant } from "../harness/latchkey.ts";
import { bearer, type PublishableService, startPublishable } from "../harness/publishable.ts";
import { compile } from "../openapi/compile.ts";
import { freePort } from "../servers/free-port.ts";
import { accepting, type RunningProxy } from "./proxy.ts";

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The ports of the service that the proxy asks, of the one that it guards, and its own. */
export interface Ports {
  readonly latchkey: string;
  readonly upstream: number;
  readonly port: number;
}

/** A proxy with what the generator makes of the policies of `examples/plans`, put where the guide says. */
export function describePolicies(name: string, start: (ports: Ports) => Promise<Pick<RunningProxy, "stop">>): void {
  describe(`${name} with what is made from examples/plans`, () => suite(start));
}

function suite(start: (ports: Ports) => Promise<Pick<RunningProxy, "stop">>): void {
  let service: PublishableService;
  let plans: DescFile["services"][number] | undefined;
  let guarded: GuardedConnect;
  let upstream: ChildProcess;
  let proxy: Pick<RunningProxy, "stop">;
  let url: string;

  beforeAll(async () => {
    service = await startPublishable();
    const { latchkey } = service;
    const body = (await readFile(file("examples/plans/api/acme/plans/v1/plans.proto"), "utf8")).replace(
      /^syntax[\s\S]*?policy.proto";/,
      "",
    );
    [plans] = (await compile(body)).services;
    if (plans === undefined) throw new Error("the example has no service");
    guarded = await startGuarded(createGuard({ baseUrl: latchkey.url }), [plans]);
    const [port, upstreamPort] = [await freePort(), await freePort()];
    upstream = spawn(process.execPath, [file("examples/upstream.mjs")], { env: { PORT: String(upstreamPort) } });
    await accepting(upstreamPort);
    proxy = await start({ latchkey: latchkey.url, upstream: upstreamPort, port });
    url = `http://127.0.0.1:${port}`;
  }, 180_000);

  afterAll(async () => {
    await proxy?.stop();
    upstream.kill();
    await once(upstream, "exit");
    await guarded.close();
    await service.latchkey.close();
    await service.keyHost.close();
  });

  const ask = async (path: string, headers: Record<string, string>): Promise<Answer> =>
    toAnswer(await fetch(`${url}${path}`, { method: "POST", headers, body: "{}" }));

  /** `admitted`, or the reason why not. */
  const byProxy = async (name: string, headers: Record<string, string>): Promise<string> => {
    const { status, json } = await ask(`/acme.plans.v1.PlanService/${name}`, headers);
    return status === 200 ? "admitted" : json.denial_reason;
  };

  const byGuard = async (name: string, headers: Record<string, string>): Promise<string | undefined> => {
    const { json } = await guarded.call(`/small.v1.PlanService/${name}`, headers);
    const [detail] = json.details ?? [];
    if (detail?.type !== "latchkey.v1.Denial") return "admitted";
    const { reason } = fromBinary(DenialSchema, Buffer.from(detail.value, "base64"));
    return DenialReasonSchema.value[reason]?.localName.toLowerCase();
  };

  test("admits the callers that guard.connect admits, but for those that the guide names", async () => {
    const { latchkey } = service;
    const key = async (...permissions: string[]) => ({
      "x-api-key": (await latchkey.createKey(await latchkey.dashboard(), { permissions })).key,
    });
    const app = await service.newApp({ fields: { permissions: ["plans:read"] } });
    const callers: Record<string, Record<string, string>> = {
      stranger: {},
      reader: await key("plans:read"),
      writer: await key("plans:*"),
      other: await key("audit:read"),
      unknown: { "x-api-key": `sk_${"a".repeat(36)}` },
      app: app.headers(),
      user: await latchkey.dashboard(),
      tenantless: bearer(await latchkey.dashboardToken({ tenant_id: "" })),
    };
    const stricter: Record<string, string> = {
      "user RemoveAllPlans": "insufficient_scope",
      "tenantless WhoAmI": "tenant_required",
    };
    for (const [who, headers] of Object.entries(callers)) {
      for (const { name, methodKind } of plans?.methods ?? []) {
        if (methodKind !== "unary") continue;
        const expected = stricter[`${who} ${name}`] ?? (await byGuard(name, headers));
        const found = await byProxy(name, headers);
        // The proxy refuses a kind of caller before it asks who it is.
        const isEarlier = expected !== "admitted" && found === "insufficient_scope";
        expect([who, name, isEarlier ? expected : found]).toEqual([who, name, expected]);
      }
    }
  });

  test("admits nothing else, and asks for an RPC's scope however its path is written", async () => {
    const tenant = newTenant();
    const { key } = await service.latchkey.createKey(await service.latchkey.dashboard(tenant), {
      permissions: ["plans:read"],
    });
    for (const path of [
      "/",
      "/acme.plans.v1.PlanService/Unknown",
      "/acme.plans.v1.PlanService/GetCurrencies/",
      "/acme.plans.v1.PlanService/GetCurrencies/../CreatePlan",
      "/acme.plans.v1.PlanService/%43reatePlan",
      "//acme.plans.v1.PlanService//CreatePlan",
      "/_latchkey",
    ]) {
      const { status } = await ask(path, { "x-api-key": key });
      expect([path, status === 403 || status === 404]).toEqual([path, true]);
    }
    expect((await ask("/acme.plans.v1.PlanService/ListPlans", { "x-api-key": key })).json.caller).toMatchObject({
      "x-auth-tenant-id": tenant,
    });
  });
}
