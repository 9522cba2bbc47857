import { readConfig } from "../../src/config/config.ts";
import type { Environment } from "../../src/config/environment.ts";

/** The lines of what is wrong in an environment. Empty: nothing. */
export function mistakes(env: Environment): string[] {
  try {
    readConfig(env);
    return [];
  } catch (err) {
    return String(err).split("\n  - ").slice(1);
  }
}
