import { type DescMessage, fromJson, toBinary } from "@bufbuild/protobuf";
import { mutateBytes } from "../mutate.ts";
import type { Random } from "../random.ts";
import { JSON_VECTORS, mutateBody, mutateTree, withVector } from "./bodies.ts";
import { endpointPath, formBody, hookBody } from "./endpoint-bodies.ts";
import { credentialsOf, furtherFields, mutateField, soundOf } from "./headers.ts";
import type { Fields, Lane } from "./lane.ts";
import { type JsonMembers, messageFor, withNames } from "./messages.ts";
import type { Route } from "./routes.ts";

/** One HTTP request. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly fields: Fields;
  readonly body: Buffer;
  /** It is sent over HTTP/2. Absent: over HTTP/1.1. */
  readonly grpc?: "unary" | "stream" | "endless";
}

/** A request, and others that mean the same: another path, another format, another protocol. */
export interface Case {
  readonly route: Route;
  /** Of its credentials, as the table names it. */
  readonly kind: string;
  readonly first: Request;
  readonly same: readonly Request[];
}

type Encoding = "json" | "proto";
/** A body in each encoding that has one. */
type Bodies = Readonly<Partial<Record<Encoding, Buffer>>>;

const TYPES: Readonly<Record<Encoding, readonly [plain: string, web: string, grpc: string]>> = {
  json: ["application/json", "application/grpc-web+json", "application/grpc+json"],
  proto: ["application/proto", "application/grpc-web+proto", "application/grpc+proto"],
};
/** What each protocol has a header of its own for. */
const OF_A_PROTOCOL = /^(?:connect-|grpc-|content-encoding)/;
const ASCII = /^[\x20-\x7e]*$/;
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Cases with nothing wrong in them. Elsewhere so much is chosen apart that few are admitted where many members must fit. */
const SOUND_SHARE = 0.15;

export function nextCase(routes: readonly Route[], lane: Lane, random: Random): Case {
  const route = random.pick(routes);
  const isSound = random.chance(SOUND_SHARE);
  const { kind, fields: credentials } = isSound ? soundOf(lane, route, random) : credentialsOf(lane, route, random);
  const further = isSound ? [] : furtherFields(random);
  const fields = [...credentials, ...further];
  if (route.input === undefined) {
    const isForm = route.name === "/oauth/token";
    const body = route.method === "GET" ? Buffer.alloc(0) : isForm ? formBody(lane.names, random) : hookBody(random);
    const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
    const signed = kind === "GitHub" ? [...fields, ...lane.signed(body)] : fields;
    return { route, kind, ...endpointRequests(route, [...signed, ["content-type", type]], body, random) };
  }
  if (route.grpc !== undefined) return { route, kind, ...grpcRequest(route, route.grpc, fields, lane, random) };
  const { input, example } = route;
  const bodies = isSound ? soundBodies(input, example, lane, random) : bodiesFor(input, example, lane, random);
  const requests = rpcRequests(route, fields, bodies, random);
  return { route, kind, ...requests };
}

/** The same body in the same or another encoding, on each path and, as gRPC-Web and gRPC, through Connect's handler. */
function rpcRequests(route: Route, fields: Fields, bodies: Bodies, random: Random): Pick<Case, "first" | "same"> {
  const { method } = route;
  const mayBeGrpc = !fields.some(([name]) => OF_A_PROTOCOL.test(name));
  // Both versions of HTTP have a way of their own with other characters.
  const mayBeHttp2 = mayBeGrpc && fields.every(([, value]) => ASCII.test(value));
  const all = Object.entries(bodies).flatMap(([encoding, body]): Request[] => {
    const [plain, web, grpc] = TYPES[encoding as Encoding];
    const typed = (type: string, bytes: Buffer) =>
      route.paths.map((path): Request => ({ method, path, fields: [...fields, ["content-type", type]], body: bytes }));
    return [
      ...typed(plain, body),
      ...(mayBeGrpc ? typed(web, enveloped(body)) : []),
      ...(mayBeHttp2 ? typed(grpc, enveloped(body)).map((request) => ({ ...request, grpc: "unary" as const })) : []),
    ];
  });
  const first = random.pick(all);
  if (random.chance(0.05)) return { first: withOtherHead(first, random), same: [] };
  return { first, same: all.filter((request) => request !== first) };
}

/** What is served over gRPC alone: a message, or some of them as a stream. */
function grpcRequest(
  { method, paths: [path = "/"], input, example }: Route,
  grpc: NonNullable<Route["grpc"]>,
  fields: Fields,
  lane: Lane,
  random: Random,
): Pick<Case, "first" | "same"> {
  if (input === undefined) throw new Error(`${path} has no message`);
  const messages = Array.from({ length: grpc === "stream" ? 1 + random.below(4) : 1 }, () =>
    enveloped(bodiesFor(input, example, lane, random).proto ?? Buffer.alloc(0)),
  );
  const whole = Buffer.concat(messages);
  const body = random.chance(0.1) ? mutateBody(whole, random) : whole;
  const first: Request = { method, path, fields: [...fields, ["content-type", TYPES.proto[2]]], body, grpc };
  return { first: random.chance(0.05) ? withOtherHead(first, random) : first, same: [] };
}

function soundBodies(input: DescMessage, example: JsonMembers, lane: Lane, random: Random): Bodies {
  return encoded(input, withNames(example, lane.fitting, random) as JsonMembers);
}

function encoded(input: DescMessage, message: JsonMembers): Bodies {
  return { json: Buffer.from(JSON.stringify(message)), ...binaryOf(input, message) };
}

function bodiesFor(input: DescMessage, example: JsonMembers, lane: Lane, random: Random): Bodies {
  const message = random.chance(0.5)
    ? (withNames(example, random.chance(0.5) ? lane.fitting : lane.names, random) as JsonMembers)
    : messageFor(input, lane.names, random);
  const valid = encoded(input, message);
  const dice = random.below(100);
  if (dice < 45) return valid;
  if (dice < 65) return { json: Buffer.from(JSON.stringify(mutateTree(message, random))) };
  if (dice < 72) return { json: random.pick(JSON_VECTORS) };
  if (dice < 80) return { json: withVector(message, random) };
  const encoding = valid.proto !== undefined && random.chance(0.5) ? "proto" : "json";
  return { [encoding]: mutateBody(valid[encoding] ?? Buffer.alloc(0), random) };
}

/** Nothing where the message cannot be written so, such as a timestamp that is none. */
function binaryOf(input: DescMessage, message: JsonMembers): Bodies {
  try {
    return { proto: Buffer.from(toBinary(input, fromJson(input, message as never))) };
  } catch {
    return {};
  }
}

/** A message of gRPC-Web: flags, length, content. */
function enveloped(content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
}

function endpointRequests(route: Route, fields: Fields, body: Buffer, random: Random): Pick<Case, "first" | "same"> {
  const first: Request = { method: route.method, path: endpointPath(route, random), fields, body };
  return { first: random.chance(0.2) ? withOtherHead(first, random) : first, same: [] };
}

const NOT_IN_PATHS = /[^\x21-\x7e]/g;

/** Another method, path or content type: what leads to a route, and not what the route reads. */
function withOtherHead(request: Request, random: Random): Request {
  switch (random.below(3)) {
    case 0:
      return { ...request, method: random.pick(METHODS) };
    case 1: {
      const path = mutateBytes(Buffer.from(request.path.slice(1)), random).toString("latin1");
      return { ...request, path: `/${path.replace(NOT_IN_PATHS, "")}` };
    }
    default: {
      const fields = request.fields.map(([name, value]) =>
        name === "content-type" ? ([name, mutateField(value, random)] as const) : ([name, value] as const),
      );
      return { ...request, fields };
    }
  }
}
