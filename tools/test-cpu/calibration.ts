import { createHash } from "node:crypto";
import { PGlite } from "@electric-sql/pglite";

const HASHED = Buffer.alloc(64 << 20, "latchkey");
const DOCUMENT = {
  name: "a key",
  scopes: Array.from({ length: 1_000 }, (_, n) => `scope${n}:read`),
  limit: { burst: 20, hour: 1e6 },
};
const DOCUMENTS = 2_000;
const QUERY = "select count(distinct md5(n::text)) from generate_series(1, 45000) n";
const QUERIES = 20;

/** A fixed piece of work of about one CPU second, of the kinds that tests do. Its cost says how fast a machine is now. */
export interface Calibration {
  /** Does the work once. Returns the CPU seconds that it took. */
  run(): Promise<number>;
  close(): Promise<void>;
}

export async function openCalibration(): Promise<Calibration> {
  const database = await PGlite.create();
  const run = async () => {
    const before = process.cpuUsage();
    createHash("sha256").update(HASHED).digest();
    for (let text = JSON.stringify(DOCUMENT), n = 0; n < DOCUMENTS; n++) text = JSON.stringify(JSON.parse(text));
    for (let n = 0; n < QUERIES; n++) await database.query(QUERY);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };
  // The first one also compiles the code.
  await run();
  return { run, close: () => database.close() };
}
