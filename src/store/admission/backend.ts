import type { Logger } from "pino";
import type { Registry } from "prom-client";
import type { Admission } from "../../domain/ports/admission.ts";
import type { Clock, KeyClock } from "../../domain/ports/clock.ts";
import type { KeyChangeLog, KeyCopies, KeyStore } from "../../domain/ports/keys.ts";
import type { ReportError } from "../../domain/ports/report-error.ts";

type Reads = Pick<KeyStore, "findKeyBySecretHash">;

export interface AdmissionContext {
  readonly log: Logger;
  /** Logs a warning of what may happen with every change of a key. */
  readonly warn: ReportError;
  readonly metrics: Registry;
  readonly clock: Clock;
  /** No other process can change keys, so that copies in this one need nobody else to be told. */
  readonly isSoleProcess: boolean;
  /** What tells the database of the keys from every other one. */
  readonly databaseId: () => Promise<string>;
  /** Set by tests, instead of Redis' own. */
  readonly redisClock: Clock | undefined;
}

/** How requests with keys are admitted, and what a change of a key must do about it. */
export interface AdmissionBackend {
  /** Undefined: nothing is copied, every key is read where it is changed. */
  readonly copies: KeyCopies | undefined;
  readonly keyClock: KeyClock;
  open(keys: Reads, changes: KeyChangeLog): Admission;
  close(): void;
}
