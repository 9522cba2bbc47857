import type { IncomingMessage, ServerResponse } from "node:http";
import type { DescMethod } from "@bufbuild/protobuf";
import { Caller } from "../gen/latchkey/v1/policy_pb.ts";
import { checkOptions, namesOf } from "../known-options.ts";
import {
  checkedHeadersOf,
  dropClaims,
  dropClaimsOf,
  forwardedFor,
  forwardingHeadersOf,
  rawHeadersOf,
} from "./auth-headers.ts";
import { isGranted, isSurelyGranted, scopesLackedBy } from "./bearer-token.ts";
import { putCaller, type VerifiedCaller } from "./caller.ts";
import { checkedCost } from "./cost.ts";
import { type FetchHandler, type GuardedFetchHandler, toResponse, withHeaders } from "./fetch-guard.ts";
import { type McpMessage, messageIn, readBody, toMessage, unknownTool } from "./mcp-message.ts";
import { setHeaders, targetOf, write } from "./node-guard.ts";
import {
  admits,
  admitsTokens,
  type Kind,
  kindOf,
  lackedMessage,
  lackedWildcard,
  presentedBy,
  type Rule,
  ruleOf,
  scopesFor,
  tokenNotAllowedMessage,
  wrongKindMessage,
} from "./policy-rule.ts";
import { challengedFor, insufficientScope, type Refusal, unverifiedRefusal } from "./refusal.ts";
import { metadataAnswer } from "./resource.ts";
import { checkedScopes, type Scopes } from "./scopes.ts";
import type { Verdict } from "./verdict.ts";
import type { GuardOptions, Verify } from "./verification.ts";

/** Which tools an MCP server has, and what each needs. */
export interface McpOptions {
  /**
   * The scopes of each tool by its name, or the RPC whose `(latchkey.v1.policy)` says who may call it:
   * `{ search: "conversations:read", create_plan: PlanService.method.createPlan }`. A call of any other tool is answered as a
   * server answers one of a tool that it lacks.
   */
  readonly tools: Readonly<Record<string, Scopes | DescMethod>>;
  /** The scopes that every request needs. Default: a valid caller. */
  readonly scopes?: Scopes | undefined;
  /** As how many requests of the key's limit each counts: 1 to 1,000. Default: 1. */
  readonly cost?: number | undefined;
  /**
   * Longest message, in bytes; a longer one is answered 413. 1 to 2,147,483,647. Default: 262,144. No message is read before its caller
   * is admitted; but each that is parsed keeps the process from other work, for some ms a megabyte.
   */
  readonly messageBytesMax?: number | undefined;
}

/** Keeps messages from an MCP server over streamable HTTP until Latchkey has admitted them, and calls of tools by their scopes. */
export interface McpGuard {
  /**
   * For `node:http` and Express. It reads the message, which is then `messageOf(req)` and `req.body`; a body that `express.json()`
   * has parsed is taken as it is, but was then parsed for strangers, too: put the guard before it. `callerOf(req)` is the caller.
   */
  node(req: IncomingMessage, res: ServerResponse, next: () => void): void;
  /** Wraps a handler of web requests, whose request has the message that was checked. */
  fetch<Args extends readonly unknown[] = []>(handler: GuardedFetchHandler<Args>): FetchHandler<Args>;
  /** The names of the tools that the caller's rights admit, for what the server lists. */
  toolsOf(caller: VerifiedCaller): readonly string[];
}

type Tool = { readonly scopes: readonly string[] } | { readonly rule: Rule };

/** How one message is decided. */
interface Decision {
  readonly verdict: Verdict;
  /** The argument of the handler. Undefined: the request has no message, as those of a stream or the end of a session. */
  readonly json: unknown;
}

const OPTIONS = namesOf<McpOptions>({ tools: true, scopes: true, cost: true, messageBytesMax: true });
const MESSAGE_BYTES_MAX = 262_144;
/** On the request under a symbol, which no body can set, shared by all copies of this package. */
const MESSAGE = Symbol.for("latchkey.mcp.message");

/** Throws a `TypeError` at once for tools and options by which no message could be decided. */
export function guardMcp(
  verify: Verify,
  known: readonly string[],
  options: McpOptions,
  clientAddress: GuardOptions["clientAddress"] = () => undefined,
): McpGuard {
  checkOptions(options, OPTIONS);
  const { scopes = [], messageBytesMax = MESSAGE_BYTES_MAX } = options;
  if (!(Number.isInteger(messageBytesMax) && messageBytesMax >= 1 && messageBytesMax <= 2_147_483_647))
    throw new TypeError("messageBytesMax must be an integer from 1 to 2147483647");
  const base = checkedScopes(scopes, known);
  const cost = checkedCost(options.cost);
  const tools = toolsIn(options.tools, known);

  /**
   * The caller first, only by the headers: a stranger has nothing read or parsed. The answer says what the caller may do, so that
   * a call which is admitted is one question. One that seems not to be is asked about again, since Latchkey says why.
   */
  async function decide(
    checked: Headers,
    forwarding: Headers,
    readMessage: () => Promise<McpMessage | undefined>,
  ): Promise<Decision> {
    const ask = (scopes: readonly string[]) => verify(checked, forwarding, { scopes, cost });
    const verdict = await ask(base);
    if (verdict.kind === "refused") return { verdict, json: undefined };
    const message = await readMessage();
    if (message?.kind === "wrong") return { verdict: refused(message.answer, verdict.headers), json: undefined };
    if (message?.kind !== "call") return { verdict, json: message?.json };
    const tool = tools.get(message.tool);
    if (tool === undefined) {
      const answer = unknownTool(message.tool, message.id);
      return { verdict: refused(answer, verdict.headers), json: undefined };
    }
    const needed = neededBy(tool, verdict.caller.kind);
    const isAdmitted =
      needed.every((scope) => isSurelyGranted(verdict.caller.permissions, scope)) && !lacks(checked, needed);
    const decided = isAdmitted ? verdict : await ask([...new Set([...base, ...needed])]);
    return { verdict: "rule" in tool ? byRule(decided, tool.rule, checked) : decided, json: message.json };
  }

  /** Whether a token was granted less than its caller may do. */
  function lacks(checked: Headers, scopes: readonly string[]): boolean {
    const { resource } = verify;
    if (resource === undefined || checked.has("X-API-Key")) return false;
    return scopesLackedBy(checked, resource, scopes).length > 0;
  }

  /** What Verify cannot be asked: whether the kind of caller may call, and whole domains. */
  function byRule(verdict: Verdict, rule: Rule, checked: Headers): Verdict {
    if (verdict.kind === "refused") return verdict;
    const { kind } = verdict.caller;
    if (!mayCall(rule, kind)) {
      const presented = presentedBy(checked);
      const named = kindOf(presented) === kind ? presented : kind;
      return deny(wrongKindMessage(named, rule.callers), [], checked, verdict.headers);
    }
    if (verdict.caller.tokenId !== undefined && !admitsTokens(rule))
      return deny(tokenNotAllowedMessage(rule.callers), [], checked, verdict.headers);
    const lacked = lackedWildcard(rule, verdict.caller);
    return lacked === undefined ? verdict : deny(lackedMessage(lacked), [lacked], checked, verdict.headers);
  }

  function deny(message: string, lacked: readonly string[], checked: Headers, headers: Headers): Verdict {
    const refusal = insufficientScope(message);
    const { resource } = verify;
    return refused(resource === undefined ? refusal : challengedFor(refusal, resource, lacked, checked), headers);
  }

  return {
    node(req, res, next) {
      const metadata = metadataAnswer(verify.resource, req.method, targetOf(req));
      if (metadata !== undefined) {
        write(res, metadata);
        return;
      }
      const read = () => messageOfNode(req, messageBytesMax);
      decide(
        checkedHeadersOf(rawHeadersOf(req)),
        forwardingHeadersOf(rawHeadersOf(req), req.socket.remoteAddress),
        read,
      )
        .then(({ verdict, json }) => {
          if (verdict.kind === "refused") return () => write(res, verdict);
          dropClaims(req);
          putCaller(req, verdict.caller);
          Object.defineProperty(req, MESSAGE, { value: json, configurable: true });
          if (json !== undefined) Object.assign(req, { body: json });
          setHeaders(res, verdict.headers);
          return () => next();
        })
        .catch(() => () => write(res, unverifiedRefusal()))
        // Outside of the promise, as in the guard of Node's handlers.
        .then(process.nextTick);
    },

    fetch:
      (handler) =>
      async (incoming, ...args) => {
        const metadata = metadataAnswer(verify.resource, incoming.method, incoming.url);
        if (metadata !== undefined) return toResponse(metadata);
        const forwarding = forwardedFor(clientAddress(incoming, ...args));
        const read = async () =>
          hasMessage(incoming.method)
            ? messageIn(await readBody(incoming.body ?? empty(), messageBytesMax))
            : undefined;
        const { verdict, json } = await decide(checkedHeadersOf(incoming.headers), forwarding, read);
        if (verdict.kind === "refused") return toResponse(verdict);
        const { caller, headers } = verdict;
        const request = withMessage(incoming, json);
        for (const each of new Set([incoming, request])) putCaller(each, caller);
        return withHeaders(await handler(request, caller, ...args), headers);
      },

    toolsOf: (caller) => [...tools].filter(([, tool]) => isFor(tool, caller)).map(([name]) => name),
  };
}

/** The JSON-RPC message of a Node request that an MCP guard let pass. Undefined: it has none. */
export function messageOf(req: object): unknown {
  return MESSAGE in req ? req[MESSAGE] : undefined;
}

function toolsIn(options: McpOptions["tools"], known: readonly string[]): ReadonlyMap<string, Tool> {
  const given: unknown = options;
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new TypeError('tools must name the scopes of each tool, as { search: "conversations:read" }');
  return new Map(Object.entries(options).map(([name, needed]) => [name, toolOf(name, needed, known)]));
}

function toolOf(name: string, needed: Scopes | DescMethod, known: readonly string[]): Tool {
  try {
    return isMethod(needed) ? { rule: ruleOf(needed, known) } : { scopes: checkedScopes(needed, known) };
  } catch (err) {
    throw new TypeError(`tools.${name}: ${err instanceof Error ? err.message : err}`);
  }
}

function isMethod(needed: Scopes | DescMethod): needed is DescMethod {
  return typeof needed === "object" && needed !== null && "kind" in needed && needed.kind === "rpc";
}

function neededBy(tool: Tool, kind: Kind): readonly string[] {
  if ("scopes" in tool) return tool.scopes;
  return mayCall(tool.rule, kind) ? scopesFor(tool.rule, kind) : [];
}

/** Whom a tool's policy admits. Also where that is anyone, the server's callers are known. */
function mayCall(rule: Rule, kind: Kind): boolean {
  return rule.callers.includes(Caller.ANYONE) || admits(rule, kind);
}

function isFor(tool: Tool, { kind, permissions }: VerifiedCaller): boolean {
  if (!neededBy(tool, kind).every((scope) => isGranted(permissions, scope))) return false;
  return (
    "scopes" in tool || (mayCall(tool.rule, kind) && lackedWildcard(tool.rule, { kind, permissions }) === undefined)
  );
}

function refused(answer: Refusal, headers: Headers): Verdict {
  return { kind: "refused", ...answer, headers: new Headers([...headers, ...answer.headers]) };
}

/** Whether a request has a message: those without are a stream's and the end of a session. */
function hasMessage(method: string | undefined): boolean {
  return method !== "GET" && method !== "HEAD" && method !== "DELETE";
}

async function messageOfNode(req: IncomingMessage, bytesMax: number): Promise<McpMessage | undefined> {
  if (!hasMessage(req.method)) return undefined;
  // A parser that leaves a body of another type unread puts an empty object here, and the handler could read the rest.
  if ("body" in req && req.body !== undefined && req.readableDidRead) return toMessage(req.body);
  return messageIn(await readBody(req, bytesMax));
}

/** A copy with the message as it was checked, and without `X-Auth-*`. */
function withMessage(incoming: Request, json: unknown): Request {
  const headers = new Headers(incoming.headers);
  dropClaimsOf(headers);
  if (json === undefined)
    return new Request(incoming.url, { method: incoming.method, headers, signal: incoming.signal });
  headers.delete("Content-Length");
  const body = JSON.stringify(json);
  return new Request(incoming.url, { method: incoming.method, headers, body, signal: incoming.signal });
}

function empty(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.close() });
}
