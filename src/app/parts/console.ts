import { openConsolePages } from "../console.ts";
import type { Part, PartContext } from "../part.ts";

/** The pages for a tenant's people. */
export function openConsole({ config, watch, access }: PartContext): Part {
  const pages = openConsolePages(config, access.dashboard, access.tokens, watch.log);
  return { endpoints: { console: pages } };
}
