import { isDeepStrictEqual } from "node:util";
import type { Random } from "../random.ts";
import { type Case, nextCase, type Request } from "./cases.ts";
import type { Exchange, Exchanged, Verdict } from "./exchange.ts";
import { FRESH_PROOF } from "./headers.ts";
import type { Lane } from "./lane.ts";
import type { Route } from "./routes.ts";
import { createTurns } from "./turns.ts";

export interface CampaignOptions {
  readonly routes: readonly Route[];
  readonly requests: number;
  /** An answer that takes longer, each time that it is asked for, is a hang. Default 2 s. */
  readonly hangMs?: number;
  /** Each lane with its connection and its numbers. */
  readonly lanes: readonly { readonly lane: Lane; readonly exchange: Exchange; readonly random: Random }[];
}

export interface Finding {
  readonly problem: string;
  readonly request: Request;
}

/** What became of the requests with credentials of one kind. */
export interface Row {
  requests: number;
  /** Cases of which an answer was compared with that of an equal request. */
  compared: number;
  readonly statuses: Map<string, number>;
  slowestMs: number;
}

export interface Campaign {
  readonly findings: Finding[];
  readonly rows: Map<string, Row>;
  /** RPCs and endpoints that a request was admitted to. */
  readonly admitted: Set<string>;
  /** Pairs whose difference was gone at once: something that the service does on its own came between. */
  settled: number;
}

/** So many requests of a lane use up little enough of what later ones name. */
const RENEWED_AFTER = 250;
const HANG_MS = 2_000;
const HANG_TRIES = 3;
const SETTLE_TRIES = 3;
const FINDINGS_MAX = 20;
/** Codes that are a failure of the service, over any protocol. */
const FAILURES: readonly string[] = ["internal", "unknown", "unavailable", "data_loss"];
/** Codes that the clock decides: the time that is left, and the requests of this minute. */
const OF_THE_CLOCK: readonly string[] = ["deadline_exceeded", "resource_exhausted"];

/** Sends requests in all lanes at once, until so many are sent or too much is found. */
export async function runCampaign({ routes, requests, hangMs = HANG_MS, lanes }: CampaignOptions): Promise<Campaign> {
  const campaign: Campaign = { findings: [], rows: new Map(), admitted: new Set(), settled: 0 };
  // Each lane has its own share, so that what it sends depends on the seed alone.
  const share = Math.ceil(requests / lanes.length);
  const turns = createTurns();
  await Promise.all(
    lanes.map(async ({ lane, exchange, random }) => {
      let sent = 0;
      let renewedAt = 0;
      const counted: Exchange = (request) => {
        sent++;
        return turns.beside(() => exchange(request));
      };
      const alone: Exchange = (request) => turns.alone(() => exchange(request));
      while (sent < share && campaign.findings.length < FINDINGS_MAX) {
        if (sent - renewedAt >= RENEWED_AFTER) {
          await turns.beside(() => lane.renew());
          renewedAt = sent;
        }
        await tryCase({ campaign, lane, random, hangMs, exchange: counted, alone }, nextCase(routes, lane, random));
      }
    }),
  );
  return campaign;
}

interface Trying {
  readonly campaign: Campaign;
  readonly lane: Lane;
  readonly random: Random;
  readonly exchange: Exchange;
  /** While no other lane sends. */
  readonly alone: Exchange;
  readonly hangMs: number;
}

async function tryCase({ campaign, lane, random, exchange, alone, hangMs }: Trying, tried: Case): Promise<void> {
  const { route, kind, first, same } = tried;
  const row = rowOf(campaign, kind);
  const send = async (unproven: Request): Promise<Verdict | undefined> => {
    const request = await proven(unproven, lane);
    const exchanged = await exchange(request);
    note(row, exchanged);
    const problem = await problemOf(exchanged, hangMs + route.waitMs, () => alone(request));
    if (problem !== undefined) campaign.findings.push({ problem: `${route.name} as ${kind}: ${problem}`, request });
    if (exchanged.kind !== "answered") return undefined;
    if (!isAcrossTenants(route)) lane.learn(exchanged.text);
    return exchanged.verdict;
  };
  const verdict = await send(first);
  if (verdict === undefined) return;
  if (verdict.code === "ok") campaign.admitted.add(route.name);
  // What changed something may be answered otherwise now. It is sent again only now and then, which must not fail either.
  const changesNothing = route.isRead || verdict.code !== "ok";
  if (!changesNothing && !random.chance(0.1)) return;
  const others = [first, ...(same.length > 0 ? [random.pick(same)] : [])];
  for (const other of others) {
    const second = await send(other);
    if (!changesNothing || second === undefined) return;
    row.compared++;
    if (areAlike(verdict, second)) continue;
    const lasting = await lastingDifference(first, other, send);
    if (lasting === undefined) campaign.settled++;
    else campaign.findings.push({ problem: `${route.name} as ${kind}: two verdicts, ${lasting}`, request: other });
  }
}

/** Its answers name what belongs to other lanes, too, whose requests would be answered otherwise if this one changed it. */
function isAcrossTenants({ callers }: Route): boolean {
  return callers.includes("operator") || callers.includes("edge");
}

/** A difference that is there once may be of the time between both. One that is there again at any of more tries lasts. */
async function lastingDifference(
  first: Request,
  other: Request,
  send: (request: Request) => Promise<Verdict | undefined>,
): Promise<string | undefined> {
  for (let tries = 0; tries < SETTLE_TRIES; tries++) {
    const [one, two] = [await send(first), await send(other)];
    if (one === undefined || two === undefined || !areAlike(one, two))
      return `${JSON.stringify(one)} to ${shown(first)}, and ${JSON.stringify(two)}`;
  }
  return undefined;
}

function areAlike(one: Verdict, two: Verdict): boolean {
  if (OF_THE_CLOCK.includes(one.code) || OF_THE_CLOCK.includes(two.code)) return true;
  return one.status === undefined || two.status === undefined ? one.code === two.code : isDeepStrictEqual(one, two);
}

async function problemOf(
  exchanged: Exchanged,
  hangMs: number,
  again: () => Promise<Exchanged>,
): Promise<string | undefined> {
  if (exchanged.kind === "unsent") return undefined;
  if (exchanged.kind === "unanswered") return `no answer after ${exchanged.ms.toFixed(0)} ms: ${exchanged.problem}`;
  const { verdict, text } = exchanged;
  const isFailure = (verdict.status ?? 0) >= 500 || FAILURES.includes(verdict.code);
  if (isFailure && verdict.code !== "deadline_exceeded")
    return `${verdict.status ?? ""} ${verdict.code}: ${text.slice(0, 500)}`;
  let { ms } = exchanged;
  // A machine that is busy is slow now and then, and not each time that it is asked for nothing else.
  for (let tries = 1; ms > hangMs && tries < HANG_TRIES; tries++) {
    const { kind, ...repeated } = await again();
    if (kind === "answered" && "ms" in repeated) ms = repeated.ms;
  }
  return ms > hangMs ? `the answer takes ${ms.toFixed(0)} ms` : undefined;
}

/** A proof of possession is for one request, and is taken once. */
async function proven(request: Request, lane: Lane): Promise<Request> {
  if (!request.fields.some(([, value]) => value === FRESH_PROOF)) return request;
  const proof = await lane.prove(request);
  const fields = request.fields.map(([name, value]) => [name, value === FRESH_PROOF ? proof : value] as const);
  return { ...request, fields };
}

/** In a form that can be sent again by hand. */
export function shown({ body, ...head }: Request): string {
  return JSON.stringify({ ...head, body64: body.toString("base64") });
}

function rowOf({ rows }: Campaign, kind: string): Row {
  const row = rows.get(kind) ?? { requests: 0, compared: 0, statuses: new Map(), slowestMs: 0 };
  rows.set(kind, row);
  return row;
}

function note(row: Row, exchanged: Exchanged): void {
  if (exchanged.kind === "unsent") return;
  row.requests++;
  row.slowestMs = Math.max(row.slowestMs, exchanged.ms);
  const status = exchanged.kind === "unanswered" ? "none" : statusClass(exchanged.verdict);
  row.statuses.set(status, (row.statuses.get(status) ?? 0) + 1);
}

/** That of gRPC-Web, whose status is always 200, by its code. `deadline`: the request said itself how long to wait. */
function statusClass({ status, code }: Verdict): string {
  if (code === "deadline_exceeded") return "deadline";
  if (status !== undefined) return `${Math.floor(status / 100)}xx`;
  return code === "ok" ? "2xx" : FAILURES.includes(code) ? "5xx" : "4xx";
}
