import type { LatchkeyClient } from "@latchkey/client";
import type { Guard, Verdict } from "@latchkey/client/server";

/** What your table has of a key. Any member of a row of `keys/import` can be added. */
export interface OldKey {
  readonly tenantId: string;
  readonly name: string;
  readonly permissions: string[];
  readonly expiresAt?: Date;
}

export interface FirstUseOptions {
  readonly guard: Guard;
  /** With the operator's token. */
  readonly client: LatchkeyClient;
  /** Your own check by bcrypt or argon2, without that of scopes. Undefined: no key of yours, or one that has ended. */
  readonly verify: (key: string) => Promise<OldKey | undefined>;
}

/** Decides by Latchkey. A key that it lacks is verified by your own check, once, and imported. */
export function firstUse({ guard, client, verify }: FirstUseOptions) {
  return async (key: string, scope: string): Promise<Verdict> => {
    const verdict = await guard.check({ "x-api-key": key }, scope);
    // Any other denial is final: the table must not bring back a key that was revoked in Latchkey.
    if (verdict.kind === "admitted" || JSON.parse(verdict.body).reason !== "api_key_not_found") return verdict;
    const old = await verify(key);
    if (old === undefined) return verdict;
    const { results } = await client.operator.importTenantKeys({ keys: [{ ...old, key }] });
    const [result] = results;
    if (result?.status === "REFUSED") throw new Error(`The key "${old.name}" was not imported: ${result.message}`);
    return guard.check({ "x-api-key": key }, scope);
  };
}
