import type { Environment } from "../config/environment.ts";
import { isLoopback } from "../config/loopback.ts";
import { createReader } from "../config/reader.ts";

const ALLOW = "DEV_ALLOW_EXPOSED";
const DANGER =
  "It accepts every token signed with the key in .latchkey/dev, prints credentials, and does without the provider of OIDC_*.";

/**
 * Throws, with advice, if the development server would be reachable from other machines or runs with
 * `NODE_ENV=production`, unless `DEV_ALLOW_EXPOSED=true` allows it.
 */
export function refuseExposure(env: Environment, host: string): void {
  const problems: string[] = [];
  const isAllowed = createReader(env, problems).oneOf(ALLOW, ["true", "false"]) === "true";
  if (problems.length > 0) throw new Error(problems.join("; "));
  if (isAllowed) return;
  if (env.NODE_ENV?.trim() === "production")
    throw new Error(
      `NODE_ENV is production, and this is a development server. ${DANGER} Run npm start instead, or latchkey serve; where it is development all the same, unset NODE_ENV or set ${ALLOW}=true.`,
    );
  if (!isLoopback(host))
    throw new Error(
      `HOST=${host} lets other machines reach the development server. ${DANGER} Unset HOST to listen only on 127.0.0.1; in a development container or virtual machine, where you want this, set ${ALLOW}=true.`,
    );
}
