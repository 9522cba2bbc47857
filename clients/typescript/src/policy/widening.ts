import type { DescMethod, Registry } from "@bufbuild/protobuf";
import { Caller } from "../gen/latchkey/v1/policy_pb.ts";
import { type MethodPolicy, nameOf, writtenPolicy } from "./method-policy.ts";

const NAMES: Readonly<Record<number, string>> = {
  [Caller.DASHBOARD_USER]: "dashboard users",
  [Caller.SECRET_KEY]: "secret keys",
  [Caller.PUBLISHABLE_KEY]: "publishable keys",
  [Caller.OPERATOR]: "the operator",
};

/**
 * How RPCs admit callers that a former version of their protos refuses, one sentence each. New RPCs and removed ones are not
 * widening, nor is the first policy of an RPC.
 */
export function widenings(former: Registry, current: Registry): readonly string[] {
  const found: string[] = [];
  for (const method of methodsOf(current)) {
    const before = formerMethod(former, method);
    const policy = before && writtenPolicy(before);
    if (policy === undefined) continue;
    const now = writtenPolicy(method);
    const sentences = now === undefined ? ["has no policy any more"] : widening(policy, now);
    found.push(...sentences.map((sentence) => `${nameOf(method)} ${sentence}`));
  }
  return found;
}

/** How a policy admits callers that a former one refuses. Empty: each caller that it admits was admitted before. */
export function widening(former: MethodPolicy, current: MethodPolicy): readonly string[] {
  if (former.callers.includes(Caller.ANYONE)) return [];
  if (current.callers.includes(Caller.ANYONE)) return ["admits anyone now"];
  const added = current.callers.filter((caller) => !former.callers.includes(caller));
  const kept = current.callers.filter((caller) => former.callers.includes(caller));
  const found = [...new Set(added)].map((caller) => `admits ${NAMES[caller] ?? `callers of the kind ${caller}`} now`);
  if (kept.includes(Caller.SECRET_KEY) || kept.includes(Caller.PUBLISHABLE_KEY))
    found.push(...loosened("API keys", former.scope, current.scope));
  if (kept.includes(Caller.SECRET_KEY) && current.tokens && !former.tokens)
    found.push("admits tokens of secret keys now");
  if (kept.includes(Caller.DASHBOARD_USER)) {
    found.push(...loosened("dashboard users", former.userScope, current.userScope));
    if (current.tenantOptional && !former.tenantOptional) found.push("admits dashboard users without a tenant now");
  }
  return found;
}

function loosened(callers: string, former: string, current: string): readonly string[] {
  if (former === "" || current === former) return [];
  if (current === "") return [`asks ${callers} for no scope any more; it was ${former}`];
  // Each holder of the wildcard has the former scope, too.
  if (current.endsWith(":*") && former.startsWith(current.slice(0, -1))) return [];
  return [`asks ${callers} for ${current} in place of ${former}`];
}

function formerMethod(former: Registry, { parent, name }: DescMethod): DescMethod | undefined {
  return former.getService(parent.typeName)?.methods.find((method) => method.name === name);
}

function* methodsOf(registry: Registry): Iterable<DescMethod> {
  for (const type of registry) if (type.kind === "service") yield* type.methods;
}
