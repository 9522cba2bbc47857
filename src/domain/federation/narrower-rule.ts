import { isDeepStrictEqual } from "node:util";
import { lacksSome } from "../keys/restrictions.ts";
import type { FederationRule } from "./rule.ts";
import type { RulePatch } from "./rule-store.ts";

type Members = Required<RulePatch>;

/** Whether a change of a member takes rights away. Where that cannot be seen, any change may. */
const RESTRICTS: { readonly [Member in keyof Members]: (old: Members[Member], now: Members[Member]) => boolean } = {
  name: () => false,
  issuer: differs,
  jwksUrl: differs,
  jwks: differs,
  audience: differs,
  claimRules: differs,
  keyId: differs,
  scopes: lacksSome,
  ttlSeconds: (old, now) => now < old,
  status: (_, now) => now === "disabled",
};

const MEMBERS = Object.keys(RESTRICTS) as readonly (keyof Members)[];

/** What decides whom a rule gives which token. */
export function membersOfRule(rule: FederationRule): Members {
  return Object.fromEntries(MEMBERS.map((member) => [member, rule[member]])) as unknown as Members;
}

/** Those of the promised members that may admit fewer workloads than the rule does. */
export function narrowerRule(rule: FederationRule, promised: Members): RulePatch {
  const narrower = MEMBERS.filter((member) => isNarrower(member, rule, promised));
  return Object.fromEntries(narrower.map((member) => [member, promised[member]]));
}

function isNarrower<Member extends keyof Members>(member: Member, rule: FederationRule, promised: Members): boolean {
  const old: Members[Member] = rule[member];
  return differs(old, promised[member]) && RESTRICTS[member](old, promised[member]);
}

function differs(old: unknown, now: unknown): boolean {
  return !isDeepStrictEqual(old, now);
}
