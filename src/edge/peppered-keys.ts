import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { SecretHash } from "../domain/credentials/key.ts";
import type { CompiledFormat } from "../domain/key-formats/compiled.ts";
import type { Awaitable } from "../domain/vocabulary/awaitable.ts";
import { shareReads } from "../store/replicas/shared-reads.ts";

/** What the service says of a key's text. */
export interface PepperedHash {
  readonly secretHash: SecretHash;
  readonly mayKeep: boolean;
}

/** The hash of a key whose format has a pepper. */
export type HashPeppered = (format: CompiledFormat, text: string) => Awaitable<SecretHash>;

/** Keys of which an edge knows the hash. */
const KNOWN_MAX = 20_000;

interface Known {
  readonly format: CompiledFormat;
  readonly secretHash: SecretHash;
}

/**
 * Peppers do not leave the service, so it is asked for the hash of such a key, once. The answer is kept by the text's own hash, for as
 * long as its format: formats are compiled again with each record of them, which an edge may use only under its lease. The record that
 * the hash finds, of a key or of its absence, is a record like any other.
 */
export function createPepperedKeys(ask: (text: string) => Promise<PepperedHash>): HashPeppered {
  const known = new LRUCache<string, Known>({ max: KNOWN_MAX });
  const sharedAsk = shareReads(ask);

  async function askAndKeep(digest: string, format: CompiledFormat, text: string): Promise<SecretHash> {
    const { secretHash, mayKeep } = await sharedAsk(text);
    if (mayKeep) known.set(digest, { format, secretHash });
    return secretHash;
  }

  return (format, text) => {
    const digest = hash("sha256", text, "base64url");
    const hit = known.get(digest);
    return hit !== undefined && hit.format === format ? hit.secretHash : askAndKeep(digest, format, text);
  };
}
