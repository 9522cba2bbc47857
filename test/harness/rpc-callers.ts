import { type Answer, toAnswer } from "./http.ts";
import { dashboardOf } from "./key-management.ts";
import type { Latchkey } from "./latchkey.ts";
import { OPERATOR } from "./operator.ts";
import { OPEN_RPCS, RPCS } from "./rpcs.ts";

/** Callers of every RPC, of a tenant of their own, with all rights. */
export interface RpcCallers {
  readonly tenant: string;
  /** The id of the tenant's only key. */
  readonly keyId: string;
  /** The credentials of a caller that may call an RPC. */
  headersOf(name: string): Record<string, string>;
  /** Sends a message to an RPC by its name, as a caller that may call it, in JSON or in binary. */
  send(name: string, body: string | Uint8Array<ArrayBuffer>): Promise<Answer>;
}

export async function rpcCallers(latchkey: Latchkey): Promise<RpcCallers> {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id: keyId } = await dashboard.createKey({ permissions: ["*"] });
  const user = await latchkey.dashboard(dashboard.tenant);
  const headersOf = (name: string): Record<string, string> => {
    const callers = RPCS.find(({ procedure }) => procedure.endsWith(`/${name}`))?.callers;
    if (callers === "operator") return OPERATOR;
    return callers === "key" ? { "x-api-key": key } : user;
  };
  return {
    tenant: dashboard.tenant,
    keyId,
    headersOf,
    async send(name, body) {
      const rpc = [...RPCS, ...OPEN_RPCS].find(({ procedure }) => procedure.endsWith(`/${name}`));
      if (rpc === undefined) throw new Error(`no caller is known of ${name}`);
      const type = typeof body === "string" ? "application/json" : "application/proto";
      const headers = { "content-type": type, ...headersOf(name) };
      return toAnswer(await fetch(latchkey.url + rpc.procedure, { method: "POST", headers, body }));
    },
  };
}
