import type { FastifyContextConfig, FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { answerHeaders, dropClaims } from "./auth-headers.ts";
import { callerOf, putCaller, type VerifiedCaller } from "./caller.ts";
import { createChecks, type RequestOptions } from "./checks.ts";
import type { GuardEdge } from "./edge.ts";
import { askAbout } from "./node-guard.ts";
import type { Refusal } from "./refusal.ts";
import { metadataAnswer } from "./resource.ts";
import type { Scopes } from "./scopes.ts";
import type { GuardOptions } from "./verification.ts";

export { callerOf, type RequestOptions, type Scopes, type VerifiedCaller };

export interface LatchkeyPluginOptions extends GuardOptions {
  /** For all routes of the instance without a `config.latchkey`, and its 404. Default: they are not guarded. */
  readonly scopes?: Scopes | undefined;
}

/** What a route asks for in its `config.latchkey`. */
export interface RouteGuard extends RequestOptions {
  readonly scopes: Scopes;
}

/** An `onRequest` or `preHandler` hook. */
export type FastifyGuardHook = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

export interface RequireScopes {
  (scopes: Scopes, options?: RequestOptions): FastifyGuardHook;
  /** The state of the plugin's edge. It ends with the app. Undefined: the plugin has no `edge`. */
  readonly edge: GuardEdge | undefined;
}

declare module "fastify" {
  interface FastifyInstance {
    /** A hook that lets requests with these scopes pass, where `config.latchkey` does not fit. */
    requireScopes: RequireScopes;
  }
  interface FastifyRequest {
    /** Who is calling. Throws on a route without a guard. */
    readonly caller: VerifiedCaller;
  }
  interface FastifyContextConfig {
    /** Scopes of the route, or `{ scopes, cost }`; `false`: the route is not guarded. */
    readonly latchkey?: Scopes | RouteGuard | false;
  }
}

/**
 * `createGuard` of `@latchkey/client/server` as a plugin of Fastify: guards the routes of the instance that registers it, by their
 * `config.latchkey`, before their bodies are read.
 */
export const latchkey: FastifyPluginAsync<LatchkeyPluginOptions> = async (app, { scopes, ...options }) => {
  const checks = createChecks(options);
  const { edge } = checks;
  const guard = (of: Scopes, asked?: RequestOptions): FastifyGuardHook => {
    const check = checks(of, asked);
    return async (request, reply) => {
      const { raw } = request;
      const metadata = metadataAnswer(check.resource, raw.method, raw.url);
      if (metadata !== undefined) return send(reply, metadata);
      const verdict = await askAbout(check, raw);
      if (verdict.kind === "refused") return send(reply, verdict);
      dropClaims(raw);
      for (const each of [request, raw]) putCaller(each, verdict.caller);
      reply.headers(Object.fromEntries(answerHeaders(verdict.headers, (name) => reply.hasHeader(name))));
      return undefined;
    };
  };
  app.decorate("requireScopes", Object.assign(guard, { edge }));
  app.addHook("onClose", () => edge?.close());
  app.decorateRequest("caller", {
    getter(this: FastifyRequest) {
      return callerOf(this);
    },
  });
  const hooks = new Map<Scopes | RouteGuard, FastifyGuardHook>();
  const hookOf = (asked: Scopes | RouteGuard): FastifyGuardHook => {
    const { scopes: of, ...request } = isRouteGuard(asked) ? asked : { scopes: asked };
    const hook = hooks.get(asked) ?? guard(of, request);
    hooks.set(asked, hook);
    return hook;
  };
  const askedOf = (config?: FastifyContextConfig) => config?.latchkey ?? scopes ?? false;
  // A misspelt scope throws at the start, when its route is registered.
  if (scopes !== undefined) hookOf(scopes);
  app.addHook("onRoute", ({ config }) => {
    const asked = askedOf(config);
    if (asked !== false) hookOf(asked);
  });
  // Not in `onRoute`, which misses the routes of an app that does not wait until the plugin is loaded.
  app.addHook("onRequest", async (request, reply) => {
    const asked = askedOf(request.routeOptions.config);
    return asked === false ? undefined : hookOf(asked)(request, reply);
  });
};

// As fastify-plugin does: the hooks and decorators are those of the instance that registers the plugin.
Object.assign(latchkey, {
  [Symbol.for("skip-override")]: true,
  [Symbol.for("fastify.display-name")]: "@latchkey/client",
});

function send(reply: FastifyReply, { status, headers, body }: Refusal): FastifyReply {
  // Of a text it would change the content type.
  return reply.code(status).headers(Object.fromEntries(headers)).send(Buffer.from(body));
}

function isRouteGuard(asked: Scopes | RouteGuard): asked is RouteGuard {
  return typeof asked === "object" && "scopes" in asked;
}
