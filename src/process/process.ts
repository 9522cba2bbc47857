import { StoreUnavailable } from "../domain/vocabulary/store-unavailable.ts";
import { keepNextTickFast } from "./fast-next-tick.ts";

/** Time from the signal to the forced end of the process. The app stops waiting before, so only a bug gets here. */
export const STOP_TIMEOUT_MS = 28_000;

/** The service that a process runs. */
export interface Service {
  /** Throws, and keeps the old certificate, if the new one cannot be used. */
  reloadCertificate(): void;
  /** Reads the files of secrets again, and reports by itself what cannot be used. */
  reloadSecrets?(): void;
  close(): Promise<void>;
}

/** Runs an app until SIGTERM or SIGINT. If the start fails, prints the reason and ends with status 1. */
export async function runProcess(start: () => Promise<Service>): Promise<void> {
  keepNextTickFast();
  let app: Service | undefined;
  let isStopping = false;
  const stop = (): void => {
    // systemd and terminals signal npm and us, and npm forwards its signal: the second one is a duplicate.
    if (isStopping) return;
    isStopping = true;
    // No request is served yet. Without a handler, process 1 of a container would ignore the signal.
    if (app === undefined) process.exit(0);
    setTimeout(() => {
      console.error("latchkey: not stopped within 28 s of the signal; the process is ended now");
      process.exit(1);
    }, STOP_TIMEOUT_MS).unref();
    app.close().then(
      () => process.exit(0),
      (err: unknown) => {
        console.error(err);
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  // Tools that renew certificates and secrets send this signal. Without a handler it would end the process.
  process.on("SIGHUP", () => {
    app?.reloadSecrets?.();
    try {
      app?.reloadCertificate();
    } catch (err) {
      console.error(`latchkey: the certificate was not renewed: ${err instanceof Error ? err.message : err}`);
    }
  });
  try {
    app = await start();
  } catch (err) {
    // For callers the cause is hidden, and an operator needs it.
    const reason = err instanceof StoreUnavailable ? err.cause : err;
    console.error(reason instanceof Error ? `latchkey: ${reason.message}` : reason);
    process.exit(1);
  }
}
