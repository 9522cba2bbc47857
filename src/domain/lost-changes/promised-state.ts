import type { ErasureTarget } from "../erasures/erasure.ts";
import type { RulePatch } from "../federation/rule-store.ts";
import type { KeyRights } from "../keys/key-fields.ts";

/**
 * The state after a change, as far as it decides who is admitted. If the database loses the change, that is enough to take the rights
 * away again (ADR 63). It has the whole state and not the difference, so that the latest of a target says all.
 */
export type PromisedState =
  | { readonly kind: "key"; readonly tenantId: string; readonly keyId: string; readonly rights: KeyRights }
  | { readonly kind: "tenant"; readonly tenantId: string; readonly isSuspended: boolean }
  /** A token that was revoked: no other change of tokens is promised. */
  | { readonly kind: "token"; readonly tenantId: string; readonly tokenId: string }
  /** Null: the rule was deleted. */
  | {
      readonly kind: "rule";
      readonly tenantId: string;
      readonly ruleId: string;
      readonly rule: Required<RulePatch> | null;
    }
  /** Null: the member was removed. */
  | {
      readonly kind: "member";
      readonly tenantId: string;
      readonly issuer: string;
      readonly userId: string;
      readonly role: string | null;
    }
  /** Its first step. The others follow from it. */
  | { readonly kind: "erasure"; readonly target: ErasureTarget };

/** Names what a state is about: of the states of one target the latest counts. */
export function targetOf(state: PromisedState): string {
  return JSON.stringify([state.kind, ...identityOf(state)]);
}

function identityOf(state: PromisedState): readonly unknown[] {
  switch (state.kind) {
    case "key":
      return [state.keyId];
    case "tenant":
      return [state.tenantId];
    case "token":
      return [state.tokenId];
    case "rule":
      return [state.ruleId];
    case "member":
      return [state.tenantId, state.issuer, state.userId];
    case "erasure":
      return Object.values(state.target);
    default:
      return state satisfies never;
  }
}

const INSTANTS = ["expiresAt", "disabledAt", "revokedAt"] as const satisfies readonly (keyof KeyRights)[];

/** A state that was stored as JSON, in which instants are texts. */
export function storedState(stored: PromisedState): PromisedState {
  if (stored.kind !== "key") return stored;
  const instants = INSTANTS.map((member) => [member, stored.rights[member] && new Date(stored.rights[member])]);
  return { ...stored, rights: { ...stored.rights, ...Object.fromEntries(instants) } };
}
