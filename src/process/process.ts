import { keepNextTickFast } from "./fast-next-tick.ts";

/** Time from the signal to the end of the process, whatever still runs then. The app gives up before: only a mistake of ours gets here. */
const STOP_TIMEOUT_MS = 28_000;

/** What a process runs. */
interface Service {
  /** Throws, and keeps the old certificate, if the new one cannot be used. */
  reloadCertificate(): void;
  close(): Promise<void>;
}

/** Runs an app until SIGTERM or SIGINT. A start that fails says why in plain words and ends with status 1. */
export async function runProcess(start: () => Promise<Service>): Promise<void> {
  keepNextTickFast();
  let app: Service | undefined;
  let isStopping = false;
  const stop = (): void => {
    // systemd and terminals signal npm and us, and npm hands it on: what comes twice means the same stop.
    if (isStopping) return;
    isStopping = true;
    // Nobody is served yet. Without a handler the first process of a container would not even hear the signal.
    if (app === undefined) process.exit(0);
    setTimeout(() => {
      console.error("latchkey: told to stop, and not done in 28 s: ended all the same");
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
  // What renews certificates says so by this signal, which would end the process otherwise.
  process.on("SIGHUP", () => {
    try {
      app?.reloadCertificate();
    } catch (err) {
      console.error(`latchkey: the certificate was not renewed: ${err instanceof Error ? err.message : err}`);
    }
  });
  try {
    app = await start();
  } catch (err) {
    console.error(err instanceof Error ? `latchkey: ${err.message}` : err);
    process.exit(1);
  }
}
