import { createForeignKeys, type ForeignKeys } from "../domain/key-formats/foreign-keys.ts";
import { createKeyFormatMetrics } from "../observability/metrics/key-formats.ts";
import { cacheKeyFormats } from "../store/replicas/cached-reads.ts";
import type { Setup } from "./setup.ts";
import type { Storage } from "./storage.ts";
import type { Watch } from "./watch.ts";

const CHECK_MS = 60_000;

/** Keys of other systems, by the formats and peppers of now. A pepper that is missing is an error in the log as long as it is. */
export function openForeignKeys(
  { secrets, life }: Setup,
  { metrics, conditions }: Watch,
  storage: Storage,
): ForeignKeys {
  const report = createKeyFormatMetrics(metrics);
  const foreignKeys = createForeignKeys({
    readFormats: cacheKeyFormats(storage.records.cache, storage.formats),
    peppers: () => secrets.now.keyPeppers,
  });

  /** Not only once the first caller is affected. */
  async function check(): Promise<void> {
    try {
      const { problems } = await foreignKeys.compiled();
      report(problems.length);
      for (const problem of problems) conditions.error("imported keys cannot be checked", new Error(problem));
    } catch {
      // Without storage nothing is known of formats, which its own metrics say.
    }
  }

  void check();
  const timer = setInterval(() => void check(), CHECK_MS).unref();
  life.onStop(() => clearInterval(timer));
  return foreignKeys;
}
