import type { DescMethod } from "@bufbuild/protobuf";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { Health } from "../../gen/health/v1/health_pb.ts";
import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { type Policies, policyOf } from "../interceptors/policies.ts";
import type { Endpoint } from "./endpoints/endpoint.ts";
import { isLong } from "./grpc/stream.ts";
import { createNearPath } from "./request/near-path.ts";
import { createUnaryRpc, type UnaryImplementation, type UnaryRpc } from "./unary.ts";

/** What serves a path. */
export type Route =
  /** An RPC: plain calls by the lean path, gRPC and gRPC-Web by Connect's handler. */
  | {
      readonly kind: "rpc";
      readonly isProbe: false;
      readonly isLong?: false;
      readonly isReadFirst: boolean;
      /** Whether it is more than a check of callers, which is what most requests are. */
      readonly isManagement: boolean;
      readonly unary: UnaryRpc;
      readonly handler: UniversalHandler;
    }
  /** An RPC of the protocol's own services, which anyone may call and which has no policy. */
  | {
      readonly kind: "open";
      readonly isProbe: boolean;
      /** Whether a call lasts as long as its client, so that it does not count among the bounded requests. */
      readonly isLong: boolean;
      readonly isReadFirst: true;
      readonly handler: UniversalHandler;
    }
  | {
      readonly kind: "endpoint";
      readonly isProbe: boolean;
      readonly isLong?: false;
      /**
       * Whether its body is read before a caller is accepted. A client that sends none, or half of one, is known only by the address.
       */
      readonly isReadFirst: boolean;
      readonly endpoint: Endpoint;
    };

/** The name of a route in logs and metrics. Undefined: a page. */
export function procedureOf(route: Route): string | undefined {
  switch (route.kind) {
    case "rpc":
      return route.unary.procedure;
    case "open":
      return route.handler.requestPath.slice(1);
    case "endpoint":
      return route.endpoint.procedure;
  }
}

export interface RoutesContext {
  /** One for each RPC, as Connect's router makes them. */
  readonly handlers: readonly UniversalHandler[];
  /** The same RPCs, for the lean path. */
  readonly rpcs: readonly UnaryImplementation[];
  /** Those of the protocol's own services. */
  readonly openHandlers: readonly UniversalHandler[];
  /** All other paths. */
  readonly endpoints: readonly Endpoint[];
  readonly policies: Policies;
}

export interface Routes {
  /** Undefined: nothing has this path. */
  find(path: string): Route | undefined;
  /** The known path that an unknown one may have meant, for its answer. */
  readonly nearPath: (path: string) => string | undefined;
}

/**
 * The route table. Paths are compared as they are. An RPC is on the path of its annotation and on its Connect path. Throws if
 * two routes have one path.
 */
export function createRoutes(ctx: RoutesContext): Routes {
  const routes = new Map<string, Route>();
  const add = (path: string, route: Route): void => {
    if (routes.has(path)) throw new Error(`two routes have the path ${path}`);
    routes.set(path, route);
  };
  const implementations = new Map<DescMethod, UnaryImplementation>(ctx.rpcs.map((rpc) => [rpc.method, rpc]));
  for (const handler of ctx.handlers) {
    const implementation = implementations.get(handler.method);
    if (implementation === undefined) throw new Error(`${handler.requestPath} has no implementation for plain calls`);
    const policy = policyOf(ctx.policies, handler.method);
    const unary = createUnaryRpc(implementation, policy);
    const isManagement = handler.service !== AuthService;
    // The gate of any other decides by the head.
    const isReadFirst = policy.callers.has("anonymous");
    const route: Route = { kind: "rpc", isProbe: false, isReadFirst, isManagement, unary, handler };
    add(handler.requestPath, route);
    add(policy.path, route);
  }
  for (const handler of ctx.openHandlers)
    add(handler.requestPath, {
      kind: "open",
      isProbe: handler.service === Health,
      isLong: isLong(handler),
      isReadFirst: true,
      handler,
    });
  for (const endpoint of ctx.endpoints) {
    const isReadFirst = endpoint.body === "bytes";
    add(endpoint.path, { kind: "endpoint", isProbe: endpoint.isProbe === true, isReadFirst, endpoint });
  }
  const folders = ctx.endpoints.filter(({ below }) => below !== undefined);

  /** The endpoint that serves what is below its path. */
  function folderOf(path: string): Route | undefined {
    const found = folders.find(
      (folder) => path.startsWith(`${folder.path}/`) && folder.below?.(path.slice(folder.path.length + 1)),
    );
    return found && routes.get(found.path);
  }

  return {
    find: (path) => routes.get(path) ?? folderOf(path),
    nearPath: createNearPath(
      ctx.handlers.map(({ method }) => policyOf(ctx.policies, method).path),
      // A path that other methods do not find is not suggested: most of what is misspelt is a call.
      ctx.endpoints.filter(({ otherMethods }) => otherMethods !== "not_found").map(({ path }) => path),
      ctx.handlers.map(({ requestPath }) => requestPath),
    ),
  };
}
