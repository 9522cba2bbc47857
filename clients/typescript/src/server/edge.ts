import { Code, ConnectError } from "@connectrpc/connect";
import { checkedBaseUrl } from "../base-url.ts";
import { checkOptions, namesOf } from "../known-options.ts";
import type { Edge, EdgeStatus } from "./edge-types.ts";
import { withoutRelativeLink } from "./refusal.ts";
import type { Question, Verdict } from "./verdict.ts";

/** Has a guard decide on calls with keys in its own process, as the service would, without a network. Only for Node.js. */
export interface EdgeOptions {
  /** One of the service's `EDGE_TOKEN`. */
  readonly token: string;
  /** Of the service's `ADMIN_PORT`, where it has one. Default: the guard's `baseUrl`. */
  readonly baseUrl?: string | undefined;
}

/** The edge of a guard: what it is doing, and its end. */
export interface GuardEdge extends EdgeStatus {
  /** Reports what it has decided and ends it: from then on the guard asks the service. */
  close(): Promise<void>;
}

/** The edge as a guard asks it. Undefined: the service must be asked. */
export interface OpenEdge {
  decide(checked: Headers, forwarding: Headers, question: Question): Promise<Verdict | undefined>;
  readonly edge: GuardEdge;
}

export interface EdgeContext {
  readonly baseUrl: string;
  readonly insecureHttp: boolean | undefined;
  /** Gets the reason why it decides nothing for now. */
  readonly report: (err: unknown) => void;
  /** The headers of an answer to an admitted and to a refused request. */
  readonly answerHeaders: (headers: Headers) => Headers;
  readonly denialHeaders: (headers: Headers) => Headers;
}

const OPTIONS = namesOf<EdgeOptions>({ token: true, baseUrl: true });
/** What the service takes as one. */
const TOKEN = /^[\x21-\x7e]{32,}$/;
/** What another server answers, and a Latchkey that serves no edges at this port. */
const ELSEWHERE: readonly Code[] = [Code.Unimplemented, Code.Internal, Code.Unknown];
/** Before the edge is loaded. */
const NOTHING: EdgeStatus = {
  isConnected: false,
  leaseMs: 0,
  records: 0,
  recordBytes: 0,
  lagMs: undefined,
  decided: 0,
  asked: 0,
  problem: undefined,
};

/** Begins to follow in the background. Throws a `TypeError` for options that no edge could follow with. */
export function openEdge(options: EdgeOptions, ctx: EdgeContext): OpenEdge {
  checkOptions(options, OPTIONS, "edge");
  if (typeof options.token !== "string" || !TOKEN.test(options.token))
    throw new TypeError("edge.token must be one of the service's EDGE_TOKEN: at least 32 visible ASCII characters");
  const baseUrl =
    options.baseUrl === undefined ? ctx.baseUrl : checkedBaseUrl(options.baseUrl, ctx.insecureHttp, "edge.baseUrl");
  let edge: Edge | undefined;
  let isClosed = false;
  const host = options.baseUrl === undefined ? "baseUrl" : "edge.baseUrl";
  const report = (err: unknown): void => ctx.report(edgeError(err, host));
  const loaded = import("@latchkey/client/edge").then(({ createEdge }) => {
    if (!isClosed) edge = createEdge({ baseUrl, token: options.token, onError: report });
  });
  loaded.catch(report);
  const status = (): EdgeStatus => edge?.status ?? NOTHING;

  return {
    async decide(checked, forwarding, { scopes, cost }) {
      if (edge === undefined) return undefined;
      const headers = [...checked, ...forwarding].flat();
      try {
        const verdict = await edge.verify({ headers, scopes, cost });
        if (verdict === undefined) return undefined;
        const answered = headersOf(verdict.headers);
        if (verdict.kind === "admitted")
          return { kind: "admitted", caller: verdict.caller, headers: ctx.answerHeaders(answered) };
        return { ...verdict, headers: ctx.denialHeaders(answered), body: withoutRelativeLink(verdict.body) };
      } catch (err) {
        // What should not happen decides nothing.
        report(err);
        return undefined;
      }
    },
    edge: {
      get isConnected() {
        return status().isConnected;
      },
      get leaseMs() {
        return status().leaseMs;
      },
      get records() {
        return status().records;
      },
      get recordBytes() {
        return status().recordBytes;
      },
      get lagMs() {
        return status().lagMs;
      },
      get decided() {
        return status().decided;
      },
      get asked() {
        return status().asked;
      },
      get problem() {
        return status().problem;
      },
      async close() {
        isClosed = true;
        await loaded.catch(() => undefined);
        await edge?.close();
      },
    },
  };
}

/** `host` is the option that says where the edge follows. */
function edgeError(cause: unknown, host: string): Error {
  const isElsewhere = cause instanceof ConnectError && ELSEWHERE.includes(cause.code);
  const advice = `; is ${host} that of a Latchkey service with EDGE_TOKEN, on its ADMIN_PORT where it has one?`;
  const reason = `${cause instanceof Error ? cause.message : cause}${isElsewhere ? advice : ""}`;
  return new Error(`the guard's edge decides nothing for now, and the service is asked: ${reason}`, { cause });
}

function headersOf(list: readonly string[]): Headers {
  const headers = new Headers();
  for (let n = 0; n + 1 < list.length; n += 2) headers.append(list[n] ?? "", list[n + 1] ?? "");
  return headers;
}
