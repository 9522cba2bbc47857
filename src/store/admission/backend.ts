import type { Logger } from "pino";
import type { Registry } from "prom-client";
import type { Admission } from "../../domain/ports/admission.ts";
import type { Clock, KeyClock } from "../../domain/ports/clock.ts";
import type { KeyChangeLog, KeyInvalidation, KeyStore } from "../../domain/ports/keys.ts";
import type { ReportError } from "../../domain/ports/report-error.ts";

type Reads = Pick<KeyStore, "findKeyBySecretHash">;

export interface AdmissionContext {
  readonly log: Logger;
  /** Logs a warning of what may happen with every change of a key. */
  readonly warn: ReportError;
  readonly metrics: Registry;
  readonly clock: Clock;
  /** True if no other process can change keys: then a cache in this process needs no invalidation from outside. */
  readonly isSoleProcess: boolean;
  /** Identifies the database of the keys among all databases. */
  readonly databaseId: () => Promise<string>;
  /** Set by tests, instead of Redis' own. */
  readonly redisClock: Clock | undefined;
}

/** How requests with keys are admitted, and how a change of a key invalidates cached records. */
export interface AdmissionBackend {
  /** Undefined if nothing is cached: every request reads its key from the database. */
  readonly invalidation: KeyInvalidation | undefined;
  readonly keyClock: KeyClock;
  open(keys: Reads, changeLog: KeyChangeLog): Admission;
  close(): void;
}
