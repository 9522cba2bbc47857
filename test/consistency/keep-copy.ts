import type { NewKey } from "../../src/domain/keys/key.ts";
import type { Copies, Look } from "../../src/store/redis/key-records.ts";

/** Does what a reader does who finds no copy of a key: keeps one of what it reads, if it is given the lease. */
export async function keepCopy(copies: Pick<Copies, "look" | "keep">, key: NewKey): Promise<void> {
  await copies.keep(key.secretHash, key.record, leaseIn(await copies.look(key.secretHash, false)), false);
}

/** The right to make a copy; empty where there is one, or somebody else has the right. */
export function leaseIn(look: Look): string {
  return look.found ? "" : look.lease;
}
