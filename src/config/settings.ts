import type { AddressRange } from "../domain/addresses/address-range.ts";
import type { TokenExpectation } from "../domain/tokens/claims.ts";
import type { RequiredClaims } from "../domain/tokens/required-claims.ts";

/**
 * The parts of the configuration that the layers use. They are declared here, so that reading the environment imports none
 * of the layers.
 */

/** From the fewest lines to the most; `silent` writes none. */
export const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** `*`: pages of any origin may call. Else exactly these origins, such as `https://app.example.com`. */
export type AllowedOrigins = "*" | readonly string[];

/** The headers by which proxies pass on a client's address: the common one, and that of RFC 7239. */
export const FORWARDING_HEADERS = ["X-Forwarded-For", "Forwarded"] as const;

/** How a client's address is read, besides that of the connection. */
export interface TrustedProxies {
  /** Of the proxies. Empty: no header is read. */
  readonly ranges: readonly AddressRange[];
  /** The header that they write. Null: either; where both are there and disagree, no address is known. */
  readonly header: (typeof FORWARDING_HEADERS)[number] | null;
}

/** Paths of PEM files. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** The identity provider of dashboard users. `JwksUrl` is undefined where it is yet to discover. */
export interface DashboardProvider<JwksUrl = string> {
  readonly expectation: Omit<TokenExpectation, "jwksUrl"> & { readonly jwksUrl: JwksUrl };
  /** Claim that holds the user id. */
  readonly userIdClaim: string;
  /** Claim that holds the tenant. */
  readonly tenantClaim: string;
  /** Claims that a token must carry: name, or path with dots, to the exact string expected. */
  readonly requiredClaims: RequiredClaims;
}

export const POOL_SIZE_DEFAULT = 10;

export type DatabaseOptions =
  | {
      readonly kind: "embedded";
      /** Folder of the database, made if need be; `memory://` keeps nothing. */
      readonly dataDir: string;
    }
  | {
      readonly kind: "postgres";
      readonly url: string;
      /**
       * Connections of this process, default `POOL_SIZE_DEFAULT`; two for lists and one that listens are not counted.
       * A call that gets none within 3 s fails.
       */
      readonly poolSize?: number;
    };

/** Where Redis is, as REDIS_URL says. */
export type RedisServers =
  /** One server, with user, password and database in the URL. */
  | { readonly kind: "single"; readonly url: string }
  /** The one that the sentinels name as the primary of this name. */
  | {
      readonly kind: "sentinel";
      readonly nodes: readonly RedisNode[];
      readonly primary: string;
      readonly credentials: RedisCredentials;
      /** Of the sentinels themselves. */
      readonly sentinelCredentials: RedisCredentials;
      /** TLS to the sentinels and to the primary. */
      readonly tls: boolean;
    }
  /** A cluster, by some of its nodes. */
  | {
      readonly kind: "cluster";
      readonly nodes: readonly RedisNode[];
      readonly credentials: RedisCredentials;
      /** TLS to all nodes. */
      readonly tls: boolean;
    };

export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

export interface RedisCredentials {
  readonly username?: string;
  readonly password?: string;
}

/** The model that answers conversations. */
export interface OpenAiConfig {
  readonly baseUrl: string;
  /** Null: the endpoint asks for none, as local ones do. */
  readonly apiKey: string | null;
  readonly model: string;
  /** Instructions that precede every conversation; empty: none. */
  readonly systemPrompt: string;
  /** For a whole reply. */
  readonly timeoutMs: number;
  /** How much of a conversation the model gets at most. */
  readonly historyMessages: number;
  readonly historyBytes: number;
}

/** Which spans are made, and where they are sent. The SDK itself reads headers, timeouts and the like (ADR 15). */
export interface TracingConfig {
  /** The endpoint, which receives protobuf. */
  readonly url: string;
  /** Whether a request that names its trace is sampled if and only if its caller is. */
  readonly followsParent: boolean;
  /** Headers of each export, from files. Undefined: the SDK itself reads them from the environment. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Of all other traces, 0 to 1. */
  readonly sampledShare: number;
  readonly queue: {
    /** Spans beyond it are dropped. */
    readonly maxQueueSize: number;
    readonly maxExportBatchSize: number;
    readonly scheduledDelayMillis: number;
    readonly exportTimeoutMillis: number;
  };
}

/** Where metrics are sent, besides being scraped. The SDK itself reads headers and the like. */
export interface OtlpMetricsConfig {
  /** The endpoint, which receives protobuf. */
  readonly url: string;
  /** As of spans. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly intervalMs: number;
  /** For one export; at most `intervalMs`. */
  readonly timeoutMs: number;
}

/** How users sign in to the console. The provider is the dashboard's. */
export interface ConsoleConfig {
  /** Of a public client of the provider. Null: the console says that it is not set up. */
  readonly clientId: string | null;
  /** Separated by spaces; with `openid`. */
  readonly scope: string;
  /** Which of the provider's tokens calls are made with: the one whose audience is OIDC_AUDIENCE. */
  readonly token: "id_token" | "access_token";
  /** Additional parameters of the authorization request. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** What tokens of the service's own need. */
export interface AccessTokenConfig {
  /** The public URL of the service, as `iss` has it. */
  readonly issuer: string;
  /** One or two. The first encrypts signing keys, and each may decrypt them. */
  readonly secrets: readonly string[];
}

/** What one process serves at once. 0 switches each of the bounds off. */
export interface OverloadLimits {
  /** Ms for which a request may wait for others in an overloaded process. */
  readonly waitMsMax: number;
  /** Ms for which requests must wait longer than that, in a queue that does not shrink, for the process to be overloaded. */
  readonly burstMs: number;
  /** Most requests that are served at once, callers that wait for a reply included. */
  readonly requestsMax: number;
  /** Most open connections of one address, trusted proxies excepted. */
  readonly connectionsPerAddressMax: number;
  /** Most bytes of bodies that are held at once, of those that arrive after their heads. */
  readonly bodyBytesMax: number;
}
