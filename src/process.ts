import { type Logger, pino } from "pino";
import type { App } from "./app.ts";
import type { LogLevel } from "./config.ts";

/** Time from the signal to the end of the process, whatever still runs then. */
const STOP_TIMEOUT_MS = 28_000;

/** Lines are written together: one write for each would cost a request as much as judging it. */
const LOG_CHUNK_BYTES = 8_192;
/** How late a line may be, and how much of the log a process killed without a signal loses. */
const LOG_FLUSH_MS = 100;

/** The log: JSON lines on stdout. */
export function createLog(level: LogLevel): Logger {
  const stdout = pino.destination({ fd: 1, sync: false, minLength: LOG_CHUNK_BYTES });
  setInterval(() => stdout.flush(), LOG_FLUSH_MS).unref();
  process.on("exit", () => stdout.flushSync());
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stdout);
}

/** Runs an app until SIGTERM or SIGINT. A start that fails says why in plain words and ends with status 1. */
export async function runProcess(start: () => Promise<App>): Promise<void> {
  let app: App;
  try {
    app = await start();
  } catch (err) {
    console.error(err instanceof Error ? `latchkey: ${err.message}` : err);
    process.exit(1);
  }
  // What renews certificates says so by this signal, which would end the process otherwise.
  process.on("SIGHUP", () => {
    try {
      app.reloadCertificate();
    } catch (err) {
      console.error(`latchkey: the certificate was not renewed: ${err instanceof Error ? err.message : err}`);
    }
  });
  const stop = (): void => {
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref();
    app.close().then(
      () => process.exit(0),
      (err: unknown) => {
        console.error(err);
        process.exit(1);
      },
    );
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}
