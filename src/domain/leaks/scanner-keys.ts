import type { KeyObject } from "node:crypto";

/** The public keys with which GitHub's secret scanning signs its reports. */
export interface ScannerKeys {
  /**
   * The key of an identifier. Undefined: GitHub has published none, as of a minute ago at most. Throws
   * `ScannerKeysUnavailable`.
   */
  find(identifier: string): Promise<KeyObject | undefined>;
}

/** The keys could not be fetched, so that no signature can be checked. */
export class ScannerKeysUnavailable extends Error {
  override readonly name = "ScannerKeysUnavailable";
  /** Seconds until they are fetched again. */
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super("GitHub's public keys could not be fetched; retry.");
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
