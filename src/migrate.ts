import { readConfig } from "./config.ts";
import { openDatabase } from "./store/sql/database.ts";
import { migrateToLatest } from "./store/sql/migrate.ts";

/**
 * `npm run migrate`, in the image `node dist/migrate.js`: brings the schema up to date and ends. The service does the same
 * when it starts.
 */
try {
  const database = await openDatabase(readConfig(process.env).storage);
  try {
    const applied = await migrateToLatest(database);
    console.log(applied.length === 0 ? "The schema is up to date." : `Applied: ${applied.join(", ")}`);
  } finally {
    await database.close();
  }
} catch (err) {
  console.error(err instanceof Error ? `latchkey: ${err.message}` : err);
  process.exit(1);
}
