import { randomBytes } from "node:crypto";
import { mkdtemp, writeFile } from "node:fs/promises";
import { connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { create, toBinary } from "@bufbuild/protobuf";
import { Authorization, CheckRequestSchema } from "../../gen/envoy/service/auth/v3/external_auth_pb.ts";
import type { Algorithm } from "../../src/domain/key-formats/key-format.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { createDatabase, dropDatabase } from "../../test/servers/postgres.ts";
import { formatOf, makeImported, PEPPER } from "../imported-keys.ts";
import { makeKeys, storeKeys } from "../keys.ts";
import { drive } from "../load/connection.ts";
import { PATHS, probe, type Question, wire } from "../requests.ts";
import { bearer, issueTokens, TOKENS_ENV } from "../tokens.ts";
import { startUsers } from "../users.ts";
import type { Counters } from "./probe.ts";
import { type CountingService, startCounting } from "./service.ts";

/** What one request takes. */
export type Cost = Counters;

/** By the name of its row. */
export type Costs = Readonly<Record<string, Cost>>;

/** Until every path has been taken, and what is made once has been made. */
const WARM_UP = 1_000;
const REQUESTS = 2_000;
/** Fewer over HTTP/2, whose buffers are outside of the heap: of more, it is collected within a round. */
const CHECKS = 1_000;
/** Other work only adds to a round, so the lowest counts. */
const ROUNDS = 3;

interface Sender {
  readonly send: (count: number) => Promise<void>;
  /** Of one round. */
  readonly requests: number;
}

/** Counts what requests take of the service that was built, on a database of its own. How fast the servers are does not matter. */
export async function countCosts(servers: { postgresUrl: string; redisUrl: string }): Promise<Costs> {
  const users = await startUsers();
  const url = await createDatabase(servers.postgresUrl);
  try {
    const keys = makeKeys(1);
    const database = await openDatabase({ kind: "postgres", url });
    await migrateToLatest(database).finally(() => database.close());
    await storeKeys({ kind: "postgres", url }, keys, 1, users.oidc);
    const [limited = ""] = keys.secrets;
    const [unlimited = "", plain = "", peppered = ""] = keys.unlimited;
    const [publishable = ""] = keys.publishable;
    const [imported, withPepper] = [drawn("SHA256"), drawn("HMAC_SHA512")];
    await makeImported(url, imported.format, new Map([[plain, imported.text]]));
    await makeImported(url, withPepper.format, new Map([[peppered, withPepper.text]]));
    const token = { "X-API-Key": publishable, Authorization: `Bearer ${users.tokens(1)[0]}` };
    const tokens = await issueTokens(url, [unlimited, limited]);
    const [ofUnlimited = {}, ofLimited = {}] = tokens.map(bearer);
    const rows: readonly [name: string, question: Question, headers: Readonly<Record<string, string>>][] = [
      ["verify, unlimited key", "verify", { "X-API-Key": unlimited }],
      ["verify, limited key", "verify", { "X-API-Key": limited }],
      ["verify, imported unlimited key", "verify", { "X-API-Key": imported.text }],
      ["verify, imported unlimited key with a pepper", "verify", { "X-API-Key": withPepper.text }],
      ["verify, token of an unlimited key", "verify", ofUnlimited],
      ["verify, token of a limited key", "verify", ofLimited],
      ["verify, publishable key, known token", "verify", token],
      ["/auth/check, limited key", "check", { "X-API-Key": limited }],
      ["list-threads, limited key", "list-threads", { "X-API-Key": limited }],
    ];
    const env = {
      ...{ DATABASE_URL: url, REDIS_URL: servers.redisUrl, JWKS_ALLOWED_HOSTS: users.host },
      ...TOKENS_ENV,
      KEY_PEPPERS_FILE: await peppersFile(),
    };
    const service = await startCounting(env);
    try {
      const senders = new Map(
        rows.map(([name, question, headers]): [string, Sender] => {
          const request = wire(probe(question, PATHS[question], headers));
          return [name, { send: (count) => send(service.port, request, count), requests: REQUESTS }];
        }),
      );
      const check: Sender = { send: (count) => sendChecks(service.port, limited, count), requests: CHECKS };
      senders.set("Envoy's Check over gRPC, limited key", check);
      // All before any is counted: meanwhile what the service does by the clock has run, too, and has been compiled.
      for (const sender of senders.values()) await sender.send(WARM_UP);
      const costs: Record<string, Cost> = {};
      for (const [name, sender] of senders) costs[name] = await costOf(service, sender);
      return costs;
    } finally {
      await service.stop();
    }
  } finally {
    await users.close();
    await dropDatabase(servers.postgresUrl, url);
  }
}

/** A format of this algorithm, and a key of it. */
function drawn(algorithm: Algorithm) {
  const format = formatOf(algorithm);
  return { format, text: format.prefix + randomBytes(20).toString("hex") };
}

async function peppersFile(): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), "latchkey-ledger-")), "peppers.json");
  await writeFile(path, JSON.stringify({ [PEPPER.name]: PEPPER.value }), { mode: 0o600 });
  return path;
}

/**
 * One request is under way at a time: which of several meet in a turn of the event loop would be chance. What the service does
 * by the clock, of which a slow machine has more in a round, and what counting itself takes are subtracted: the service is
 * counted while it is idle, too, for as long as each round was.
 */
async function costOf(service: CountingService, { send, requests }: Sender): Promise<Cost> {
  const [busy, idle]: [Counted[], Counted[]] = [[], []];
  for (let n = 0; n < ROUNDS; n++) {
    const round = await countedIn(service, () => send(requests));
    busy.push(round);
    idle.push(await countedIn(service, () => sleep(round.ms)));
  }
  const lowest = (rounds: Counted[], value: (round: Counted) => number) => Math.min(...rounds.map(value));
  const each = (member: keyof Counters, byClock = 0) =>
    lowest(busy, ({ made, ms }) => made[member] - byClock * ms) / requests;
  const perMs = (member: keyof Counters) => lowest(idle, ({ made, ms }) => made[member] / ms);
  return {
    bytes: each("bytes", perMs("bytes")),
    oldBytes: each("oldBytes", perMs("oldBytes")),
    promises: each("promises", perMs("promises")),
    // A turn for a request is one for the timers that are due, too.
    turns: each("turns"),
  };
}

interface Counted {
  readonly made: Counters;
  readonly ms: number;
}

async function countedIn(service: CountingService, work: () => Promise<void>): Promise<Counted> {
  const before = await service.ask("collect");
  const startedAt = performance.now();
  await work();
  const ms = performance.now() - startedAt;
  const after = await service.ask("read");
  const made = (member: keyof Counters) => after[member] - before[member];
  return {
    made: { bytes: made("bytes"), oldBytes: made("oldBytes"), promises: made("promises"), turns: made("turns") },
    ms,
  };
}

async function send(port: number, request: string, count: number): Promise<void> {
  const bytes = Buffer.from(request);
  let left = count;
  let refused = 0;
  await drive(
    { host: "127.0.0.1", port },
    {
      next: () => (left-- > 0 ? bytes : undefined),
      pauseMs: () => 0,
      answered: (status) => {
        if (status !== 200) refused++;
      },
    },
  );
  if (refused > 0) throw new Error(`${refused} of ${count} requests were not answered with 200:\n${request}`);
}

/** Over one connection of HTTP/2, as Envoy has it. */
async function sendChecks(port: number, secret: string, count: number): Promise<void> {
  const message = checkRequest(secret);
  const session = connect(`http://127.0.0.1:${port}`);
  try {
    for (let n = 0; n < count; n++) await sendCheck(session, message);
  } finally {
    session.destroy();
  }
}

function sendCheck(session: ReturnType<typeof connect>, message: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ":method": "POST",
      ":path": `/${Authorization.typeName}/${Authorization.method.check.name}`,
      "content-type": "application/grpc",
      te: "trailers",
    });
    let status: unknown;
    stream.on("trailers", (trailers) => {
      status = trailers["grpc-status"];
    });
    stream.on("end", () => {
      if (status === "0") resolve();
      else reject(new Error(`a check was answered with grpc-status ${status}`));
    });
    stream.on("error", reject).resume().end(message);
  });
}

/** In its envelope. */
function checkRequest(secret: string): Uint8Array {
  const http = {
    headers: { ":authority": "api.example.com", ":method": "GET", ":path": "/plans", "x-api-key": secret },
  };
  const message = create(CheckRequestSchema, { attributes: { request: { http } } });
  const content = toBinary(CheckRequestSchema, message);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(content.byteLength, 1);
  return Buffer.concat([head, content]);
}
