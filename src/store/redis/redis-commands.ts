import type { RedisServers } from "../../config/settings.ts";
import type { RedisClient } from "./redis-connection.ts";
import { KEY_PREFIX } from "./redis-names.ts";
import { withTimeout } from "./redis-replies.ts";

/** A command that we send, also from within scripts. */
export interface NeededCommand {
  /** As `ACL SETUSER` names it. */
  readonly name: string;
  /** One that changes nothing for others, and that Redis rejects with NOPERM if the user lacks the command. */
  readonly trial: readonly [command: string, ...args: (string | number)[]];
}

const TRIAL_KEY = `${KEY_PREFIX}{check}`;
/** No script has it: the reply is NOSCRIPT, unless the user lacks the command. */
const NO_SCRIPT = "0".repeat(40);

/**
 * The rights that a Redis user needs, and no more: `latchkey privileges redis` prints it, `latchkey doctor` tries it, and the tests on
 * Redis run with exactly this. `AUTH` and `HELLO` need no permission. `CLIENT SETINFO` is sent, too, from Redis 7.2 on; a
 * denial of it is ignored.
 */
const COMMANDS: readonly NeededCommand[] = [
  { name: "eval", trial: ["eval", "return 1", 0] },
  { name: "evalsha", trial: ["evalsha", NO_SCRIPT, 0] },
  { name: "get", trial: ["get", TRIAL_KEY] },
  { name: "set", trial: ["set", TRIAL_KEY, "", "PX", 1] },
  { name: "del", trial: ["del", TRIAL_KEY] },
  { name: "time", trial: ["time"] },
  { name: "info", trial: ["info", "server"] },
];

/** For a cluster: its slots, its state, the first command to a node, and slots that are being moved. */
const CLUSTER_COMMANDS: readonly NeededCommand[] = [
  { name: "cluster|slots", trial: ["cluster", "slots"] },
  { name: "cluster|info", trial: ["cluster", "info"] },
  { name: "ping", trial: ["ping"] },
  { name: "asking", trial: ["asking"] },
];

export function neededCommands(kind: RedisServers["kind"], database = 0): readonly NeededCommand[] {
  return [
    ...COMMANDS,
    ...(kind === "cluster" ? CLUSTER_COMMANDS : []),
    ...(database > 0 ? [{ name: "select", trial: ["select", database] } as const] : []),
  ];
}

/** The line that gives a user exactly these rights. The password is added by `>password`. */
export function aclRules(kind: RedisServers["kind"], database = 0): readonly string[] {
  return [
    "on",
    "resetkeys",
    `~${KEY_PREFIX}*`,
    "resetchannels",
    "-@all",
    ...neededCommands(kind, database).map(({ name }) => `+${name}`),
  ];
}

/** What the user lacks: commands, and the keys if it may not read or write ours. Tries each command. Throws `StoreUnavailable`. */
export async function missingCommands(
  redis: RedisClient,
  needed: readonly NeededCommand[],
): Promise<readonly string[]> {
  const missing = await Promise.all(
    needed.map(async ({ name, trial: [command, ...args] }) => {
      try {
        await withTimeout(redis.call(command, args));
        return undefined;
      } catch (err) {
        const { message } = err instanceof Error && err.cause instanceof Error ? err.cause : { message: String(err) };
        if (!/^NOPERM\b/.test(message)) return undefined;
        return / keys?\b/.test(message) ? `~${KEY_PREFIX}*` : `+${name}`;
      }
    }),
  );
  return [...new Set(missing.filter((name) => name !== undefined))];
}
