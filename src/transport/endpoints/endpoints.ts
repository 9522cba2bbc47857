import type { ProtectedResource } from "../../domain/access/protected-resource.ts";
import type { CheckCaller } from "../../interceptors/gate/check-caller.ts";
import type { ClientAddress } from "../request/client-address.ts";
import { AUTH_CHECK, AUTH_CHECK_PATH, answerAuthCheck } from "./auth-check.ts";
import { CONSOLE_PATH, type ConsolePorts } from "./console.ts";
import { answerOpenapi, DOCUMENTATION, ERROR_PAGES } from "./documentation.ts";
import type { Endpoint } from "./endpoint.ts";
import { answerEnvoyCheck, CHECK_BYTES_MAX, describedByEnvoy, ENVOY_CHECK, failedEnvoyCheck } from "./envoy-check.ts";
import { createFrontPage, FRONT_PAGE_PATH } from "./front-page.ts";
import { answerGithubLeaks, type GithubLeaksContext } from "./github-leaks.ts";
import { answerIdentityClaims, type IdentityClaimsContext } from "./identity-claims.ts";
import { answerOAuthToken, FORM_BYTES_MAX, type OAuthTokenContext } from "./oauth-token.ts";
import {
  answerHealthz,
  answerMetrics,
  answerReadyz,
  HEALTHZ_PATH,
  METRICS_PATH,
  type Metrics,
  READYZ_PATH,
  type Readiness,
} from "./probes.ts";
import { resourceMetadata } from "./resource.ts";
import { type TokenIssuerDocuments, tokenIssuerDocuments } from "./token-issuer.ts";

export interface EndpointsContext {
  /** For `/auth/check`, and Envoy's protocol. Undefined: neither is served. */
  readonly checkCaller?: CheckCaller | undefined;
  /** The upstream of the proxies that ask, as a resource of OAuth. Undefined: no resource. */
  readonly resource?: ProtectedResource | undefined;
  /** Of tokens of the service's own. Undefined: it issues none. */
  readonly tokenIssuer?: TokenIssuerDocuments | undefined;
  readonly clientAddress: ClientAddress;
  /** For the login hook of the identity provider. Undefined: no hook. */
  readonly identityClaims?: IdentityClaimsContext | undefined;
  /** For reports of GitHub's secret scanning. Undefined: they are not taken. */
  readonly githubLeaks?: GithubLeaksContext | undefined;
  /** For workloads. Undefined: they get no tokens. */
  readonly oauthToken?: OAuthTokenContext | undefined;
  /** Undefined: it is not served. */
  readonly console?: ConsolePorts | undefined;
  readonly readiness: Readiness;
  readonly metrics: Metrics;
  /** The only port where proxies may ask about their clients' calls. Default: any that callers have, and Envoy's on both. */
  readonly checksPort?: "admin" | undefined;
  /** Whether operators have a port of their own. Default: they have not. */
  readonly hasAdminPort?: boolean;
}

const CALL = { method: "POST", body: "bytes", port: "main", isReadableByPages: true } as const;
const PROBE = { method: "GET", body: "none", isReadableByPages: false, isProbe: true, procedure: undefined } as const;
const PAGE = { method: "GET", body: "none", isReadableByPages: false, procedure: undefined } as const;

/** Every path that is served beside the RPCs. */
export function createEndpoints(ctx: EndpointsContext): Endpoint[] {
  const endpoints = createNamedEndpoints(ctx);
  return [...endpoints, ...frontPages(endpoints, ctx.hasAdminPort ?? false)];
}

/** `/` of each port leads to what that port has. */
function frontPages(endpoints: readonly Endpoint[], hasAdminPort: boolean): Endpoint[] {
  const frontPage = (port: Endpoint["port"], leadsTo: readonly Endpoint[]): Endpoint => ({
    ...{ ...PAGE, path: FRONT_PAGE_PATH, otherMethods: "not_found", port, isReadableByPages: true },
    answer: createFrontPage(leadsTo.map(({ path }) => path)),
  });
  if (!hasAdminPort) return [frontPage("both", endpoints)];
  return [
    frontPage(
      "main",
      endpoints.filter(({ port }) => port !== "admin"),
    ),
    frontPage(
      "admin",
      endpoints.filter(({ port }) => port !== "main"),
    ),
  ];
}

function createNamedEndpoints(ctx: EndpointsContext): Endpoint[] {
  const { checkCaller, resource, clientAddress, identityClaims, githubLeaks, oauthToken, console, readiness, metrics } =
    ctx;
  const { checksPort } = ctx;
  const issuerDocuments = ctx.tokenIssuer === undefined ? [] : tokenIssuerDocuments(ctx.tokenIssuer);
  return [
    ...given(checkCaller, (check) => ({
      ...{ path: AUTH_CHECK_PATH, procedure: AUTH_CHECK, method: "any", body: "none" },
      ...{ port: checksPort ?? "main", isReadableByPages: true, isRelayed: true },
      answer: (req, call) => answerAuthCheck(req, call, { check, resource, clientAddress }),
    })),
    ...given(checkCaller, (check) => ({
      ...{ ...CALL, path: `/${ENVOY_CHECK}`, procedure: ENVOY_CHECK, port: checksPort ?? "both" },
      isReadableByPages: false,
      bodyBytesMax: CHECK_BYTES_MAX,
      failed: failedEnvoyCheck,
      describedCaller: (req, body) => describedByEnvoy(req, body, clientAddress),
      answer: (req, call, body) => answerEnvoyCheck({ check, resource, clientAddress }, req, call, body),
    })),
    ...given(resource, (described) => ({ ...PAGE, port: "main", ...resourceMetadata(described) })),
    ...issuerDocuments.map((document): Endpoint => ({ ...PAGE, port: "main", ...document })),
    ...given(identityClaims, (hook) => ({
      ...{ ...CALL, path: "/api/v1/identity/claims", procedure: "identity/claims" },
      answer: (req, call, body) => answerIdentityClaims(hook, req, call, body),
    })),
    ...given(githubLeaks, (leaks) => ({
      ...{ ...CALL, path: "/api/v1/api-keys/report-leak/github", procedure: "api-keys/report-leak/github" },
      answer: (req, call, body) => answerGithubLeaks(leaks, req, call, body),
    })),
    ...given(oauthToken, (exchange) => ({
      ...{ ...CALL, path: "/oauth/token", procedure: "oauth/token", bodyBytesMax: FORM_BYTES_MAX },
      answer: (req, call, body) => answerOAuthToken(exchange, req, call, body),
    })),
    // The only probe that reveals nothing.
    { ...PROBE, path: HEALTHZ_PATH, port: "both", isReadableByPages: true, answer: answerHealthz },
    { ...PROBE, path: READYZ_PATH, port: "both", answer: () => answerReadyz(readiness) },
    { ...PROBE, path: METRICS_PATH, port: "admin", answer: (req) => answerMetrics(metrics, req) },
    // Says itself that any page may read it.
    { ...PAGE, path: "/openapi.json", port: "both", answer: answerOpenapi },
    ...ERROR_PAGES.map(([path, answer]): Endpoint => ({ ...PAGE, path, port: "both", answer })),
    ...DOCUMENTATION.map(([path, answer]): Endpoint => ({ ...PAGE, path, port: "admin", answer })),
    ...given(console?.main, ({ has, answer }) => ({ ...PAGE, path: CONSOLE_PATH, below: has, port: "main", answer })),
    ...given(console?.admin, ({ has, answer }) => ({ ...PAGE, path: CONSOLE_PATH, below: has, port: "admin", answer })),
  ];
}

function given<Part>(part: Part | undefined, endpointOf: (part: Part) => Endpoint): Endpoint[] {
  return part === undefined ? [] : [endpointOf(part)];
}
