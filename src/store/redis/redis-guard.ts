import type { Logger } from "pino";
import { type Repeated, repeat } from "../../concurrency/repeat.ts";

/** A Redis as replicas compare it. */
export interface NamedRedis {
  /** The id that is kept in it. */
  readonly identity: string;
  /** Its hosts without credentials, for people. Empty: there is no Redis, and each replica limits on its own. */
  readonly servers: string;
}

export interface RedisGuardTimes {
  readonly check: number;
  /** How long a Redis stays that of the deployment after the last renewal. */
  readonly hold: number;
  /**
   * For how long a replica stays ready after the last check that found its Redis to be that of the deployment. Longer than
   * `hold` and two checks: a Redis that lost its data has a new identity, which takes the place of the old one by then.
   */
  readonly grace: number;
}

const TIMES: RedisGuardTimes = { check: 2_000, hold: 10_000, grace: 20_000 };

export interface RedisGuardContext {
  readonly servers: string;
  /** Throws `StoreUnavailable`. */
  readonly readIdentity: () => Promise<string>;
  /** Makes a Redis the one of the deployment for `holdMs`, unless another one is; returns the one that is. */
  readonly hold: (redis: NamedRedis, holdMs: number) => Promise<NamedRedis>;
  /** While the deployment moves to another Redis: a conflict is logged, and no problem. */
  readonly isMoving: boolean;
  readonly log: Logger;
  readonly times?: RedisGuardTimes;
  readonly monotonicMs?: () => number;
}

export interface RedisGuard {
  /** Why this replica must not serve, in a sentence. Undefined: as far as is known, it may. */
  problem(): string | undefined;
  /** One check. Never rejects. */
  check(): Promise<void>;
  /** Checks every 2 s until `close`. */
  start(): void;
  close(): Promise<void>;
}

/**
 * Keeps two Redis of one deployment from going unnoticed, since they are two budgets for each key (ADR 30). The replicas
 * of a deployment hold one Redis together, in PostgreSQL: as long as one of them renews it, a replica with another one is
 * not ready. Where none does, because all see a new one, the new one takes its place after `hold`.
 *
 * A check that fails, because Redis or PostgreSQL is away, changes nothing: a replica goes on renewing the Redis that it
 * saw last.
 */
export function createRedisGuard(ctx: RedisGuardContext): RedisGuard {
  const { servers, readIdentity, hold, isMoving, log, times = TIMES, monotonicMs = () => performance.now() } = ctx;
  let own: NamedRedis | undefined;
  let conflict: string | undefined;
  /** The conflict that the log has. */
  let logged: string | undefined;
  let confirmedMs = Number.NEGATIVE_INFINITY;
  let checking: Repeated | undefined;

  function report(held: NamedRedis): void {
    if (own === undefined) return;
    if (held.identity === own.identity) {
      if (logged !== undefined) log.info({ redis: shown(own) }, "all replicas use one Redis");
      conflict = undefined;
      logged = undefined;
      confirmedMs = monotonicMs();
      return;
    }
    conflict = conflictOf(own, held);
    // Within the grace it is most likely a Redis that has restarted without its data, and ends by itself.
    if (conflict === logged || (!isMoving && isGraced())) return;
    logged = conflict;
    if (isMoving) log.warn(`${conflict}. REDIS_MOVING is true, so this replica serves; unset it after the deploy`);
    else log.error(`${conflict}. This replica is not ready`);
  }

  function isGraced(): boolean {
    return monotonicMs() - confirmedMs < times.grace;
  }

  async function check(): Promise<void> {
    const identity = await readIdentity().catch(() => undefined);
    if (identity !== undefined) own = { identity, servers };
    if (own === undefined) return;
    const held = await hold(own, times.hold).catch(() => undefined);
    if (held !== undefined) report(held);
  }

  return {
    problem() {
      if (conflict === undefined || isMoving || isGraced()) return undefined;
      return `${conflict}. Give all replicas one REDIS_URL; for a deploy that changes it, set REDIS_MOVING=true`;
    },
    check,
    start() {
      checking = repeat(check, { pollMs: times.check, isDelayed: true });
    },
    async close() {
      await checking?.stop();
    },
  };
}

function conflictOf(own: NamedRedis, held: NamedRedis): string {
  const others = held.servers === "" ? "the other replicas have none" : `the other replicas use ${shown(held)}`;
  const mine = own.servers === "" ? "this replica has no Redis" : `this replica uses the Redis ${shown(own)}`;
  return `${mine}, and ${others}: two budgets for each key`;
}

/** One name may lead to two servers, so the identity is shown, too. */
function shown({ servers, identity }: NamedRedis): string {
  return `${servers} (${identity.slice(0, 8)})`;
}
