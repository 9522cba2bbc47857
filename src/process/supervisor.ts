import cluster, { type Worker } from "node:cluster";
import type { Readable } from "node:stream";
import type { Logger } from "pino";
import type { Service } from "./process.ts";
import { type FromWorker, marked, unmarked } from "./worker-messages.ts";

/** A worker that ends is replaced after this, and after twice as long each time that one ends before it serves. */
const RESTART_MS = 100;
const RESTART_MS_MAX = 5_000;
/** How long a scrape waits for the reports of all workers. */
const REPORT_MS = 1_000;

/** Puts the metrics of all workers together. */
export interface WorkersMetrics {
  /** Keeps the latest report of a worker. */
  reported(worker: number, report: unknown): void;
  /** Keeps what an ended worker has counted. */
  ended(worker: number): Promise<void>;
  /** The text for a scrape. */
  text(): Promise<string>;
}

export interface SupervisorContext {
  /** Workers at a time. */
  readonly count: number;
  readonly log: Logger;
  /** Takes the lines of the workers' logs. */
  readonly writeLine: (makeLine: () => string) => void;
  readonly metrics: WorkersMetrics;
}

/**
 * Runs the service in several processes on one port (ADR 31). `close` resolves when all have ended, or ends this process with
 * the highest status of theirs. Node's cluster module accepts the connections here, and hands them to the workers in turn.
 *
 * The first worker starts before the others: it migrates, and if it cannot start, neither could the others, and all ends with
 * its status.
 */
export function superviseWorkers({ count, log, writeLine, metrics }: SupervisorContext): Service {
  const workers = new Set<Worker>();
  const allEnded = Promise.withResolvers<void>();
  /** The scrapes that wait for reports, by their ids. */
  const scrapes = new Map<number, (worker: number) => void>();
  let scrapeId = 0;
  let pauseMs = RESTART_MS;
  let hasStarted = false;
  let isStopping = false;
  let status = 0;

  function fork(): void {
    const worker = cluster.fork();
    workers.add(worker);
    log.info({ worker: worker.id, pid: worker.process.pid }, "a worker is started");
    // Not "exit": by then its last lines have not been read.
    worker.process.once("close", (code, signal) => onEnd(worker, code, signal));
    if (worker.process.stdout !== null) forwardLines(worker.process.stdout, worker.id, writeLine);
  }

  function onStarted(): void {
    pauseMs = RESTART_MS;
    if (hasStarted) return;
    hasStarted = true;
    for (let n = 1; n < count && !isStopping; n++) fork();
  }

  function onEnd(worker: Worker, code: number | null, signal: string | null): void {
    workers.delete(worker);
    void metrics.ended(worker.id);
    for (const done of scrapes.values()) done(worker.id);
    if (isStopping || !hasStarted) {
      status = Math.max(status, code ?? 1);
      if (workers.size > 0) return;
      if (!isStopping) process.exit(status);
      allEnded.resolve();
      return;
    }
    log.error({ worker: worker.id, pid: worker.process.pid, code, signal, restart_ms: pauseMs }, "a worker has ended");
    setTimeout(() => {
      if (!isStopping) fork();
    }, pauseMs);
    pauseMs = Math.min(2 * pauseMs, RESTART_MS_MAX);
  }

  /** The metrics of all workers that respond within a second. */
  async function scrape(): Promise<string> {
    const id = ++scrapeId;
    const asked = [...workers].filter((worker) => worker.isConnected());
    const missing = new Set(asked.map((worker) => worker.id));
    await new Promise<void>((resolve) => {
      const timeout = setTimeout(resolve, REPORT_MS);
      scrapes.set(id, (worker) => {
        missing.delete(worker);
        if (missing.size > 0) return;
        clearTimeout(timeout);
        resolve();
      });
      for (const worker of asked) send(worker, { kind: "report", id });
      if (asked.length === 0) resolve();
    });
    scrapes.delete(id);
    return metrics.text();
  }

  function onMessage(worker: Worker, sent: unknown): void {
    const message = unmarked<FromWorker>(sent);
    if (message?.kind === "started") onStarted();
    if (message?.kind === "report") {
      metrics.reported(worker.id, message.report);
      scrapes.get(message.id)?.(worker.id);
    }
    if (message?.kind !== "metrics") return;
    const { id } = message;
    scrape().then(
      (text) => send(worker, { kind: "metrics", id, text }),
      (err: unknown) => log.error({ err }, "the metrics of all workers cannot be put together"),
    );
  }

  function signal(name: "SIGTERM" | "SIGHUP"): void {
    for (const worker of workers) worker.process.kill(name);
  }

  // Their logs come here: the lines of several processes would be mixed up within one pipe.
  cluster.setupPrimary({ stdio: ["ignore", "pipe", "inherit", "ipc"] });
  cluster.on("message", onMessage);
  fork();
  return {
    reloadCertificate: () => signal("SIGHUP"),
    async close() {
      isStopping = true;
      signal("SIGTERM");
      if (workers.size > 0) await allEnded.promise;
      if (status > 0) process.exit(status);
    },
  };
}

/** A worker that has just ended takes no message. */
function send(worker: Worker, message: Parameters<typeof marked>[0]): void {
  if (worker.isConnected()) worker.send(marked(message), () => undefined);
}

/** Writes whole lines, each with the number of its worker as its first member. */
function forwardLines(stdout: Readable, worker: number, writeLine: SupervisorContext["writeLine"]): void {
  let rest = "";
  stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const text = rest + chunk;
    const end = text.lastIndexOf("\n") + 1;
    rest = text.slice(end);
    if (end > 0) writeLine(() => text.slice(0, end).replaceAll(/^\{/gm, `{"worker":${worker},`));
  });
}
