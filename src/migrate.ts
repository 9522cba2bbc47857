import { readConfig } from "./config/config.ts";
import { openDatabase } from "./store/sql/driver/open.ts";
import { migrateToLatest } from "./store/sql/migrations/migrator.ts";

/**
 * `npm run migrate`, in the image `node dist/migrate.js`: brings the schema up to date and ends. The service does the same
 * when it starts.
 */
try {
  const { storage } = readConfig(process.env);
  const database = await openDatabase(storage);
  const store =
    storage.kind === "embedded" ? `the embedded store in ${storage.dataDir}` : "the database of DATABASE_URL";
  try {
    const applied = await migrateToLatest(database, {
      onWait: () =>
        console.error("latchkey: a migration waits for a lock that another session holds, and will try again"),
    });
    console.log(
      applied.length === 0 ? `The schema of ${store} is up to date.` : `Applied to ${store}: ${applied.join(", ")}`,
    );
  } finally {
    await database.close();
  }
} catch (err) {
  console.error(err instanceof Error ? `latchkey: ${err.message}` : err);
  process.exit(1);
}
