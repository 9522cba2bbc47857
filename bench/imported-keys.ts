import { sql } from "kysely";
import { hashSecret } from "../src/domain/credentials/secret.ts";
import { compileFormats, partsOf } from "../src/domain/key-formats/compiled.ts";
import { digestOf, importedHash } from "../src/domain/key-formats/digest.ts";
import type { Algorithm, KeyFormat } from "../src/domain/key-formats/key-format.ts";
import { fingerprintOf } from "../src/domain/key-formats/peppers.ts";
import { hashBytes } from "../src/store/sql/driver/hash-bytes.ts";
import { openDatabase } from "../src/store/sql/driver/open.ts";

/** The file of KEY_PEPPERS_FILE has it by this name. */
export const PEPPER = { name: "bench", value: "a pepper of the benchmarks" };

/** A format of this algorithm, with a prefix of its own. */
export function formatOf(algorithm: Algorithm): KeyFormat {
  const pepper = algorithm.startsWith("HMAC") ? PEPPER.name : "";
  const prefix = `${algorithm.toLowerCase()}_`;
  return {
    ...{ name: algorithm.toLowerCase(), prefix, lengthMin: prefix.length + 40, lengthMax: prefix.length + 40 },
    ...{ alphabet: "HEX", case: "AS_SENT", algorithm, pepper, hashedPart: "WHOLE", separator: "", isBearer: false },
    ...{ pepperFingerprint: pepper === "" ? "" : fingerprintOf(PEPPER.value), tenants: [], createdAt: new Date() },
  };
}

/** Makes stored keys of the service imported ones with these texts, each of the format. */
export async function makeImported(url: string, format: KeyFormat, texts: ReadonlyMap<string, string>): Promise<void> {
  const database = await openDatabase({ kind: "postgres", url });
  const { name, createdAt: _, ...stored } = format;
  const compiled = compileFormats({ formats: [format] }, new Map([[PEPPER.name, PEPPER.value]])).named(name);
  if (compiled === undefined) throw new Error("the format was compiled");
  try {
    await sql`insert into key_formats (key_format, format) values (${name}, ${JSON.stringify(stored)})`.execute(
      database.db,
    );
    for (const [secret, text] of texts) {
      const digest = digestOf(format.algorithm, partsOf(compiled, text).hashed, compiled.pepper);
      const hash = hashBytes(importedHash(compiled.hashHead, "", digest));
      await sql`
        update api_keys set secret_hash = ${hash}, key_format = ${name}, imported_digest = ${digest}
        where secret_hash = ${hashBytes(hashSecret(secret))}`.execute(database.db);
    }
  } finally {
    await database.close();
  }
}
