import { DENIALS } from "../../../src/domain/vocabulary/denial.ts";
import type { SigningKey } from "../../jwks/provider.ts";

/** A request as developers send it while they get to know the service, and the answer that says what to do. */
export interface Mistake {
  /** What they did. */
  readonly mistake: string;
  /** Default: POST. */
  readonly method?: string;
  /** Default: list-threads, which anyone may call. */
  readonly path?: string;
  /** Credentials, and what differs from `Content-Type: application/json`, which an empty text leaves out. Default: a dashboard user's. */
  readonly headers?: (from: Credentials) => Readonly<Record<string, string>>;
  /** Sent as JSON; a text as it is. Default: `{}`. */
  readonly body?: unknown;
  /** The status, and the `denial_reason` or else the `code`. */
  readonly answer: string;
  /** The reason that says more about a denial than its own. */
  readonly specific?: string;
  readonly says: string;
}

/** What a developer has: an app with a publishable key, and a backend with a secret one. */
export interface Credentials {
  /** A secret key that has `conversations:read`, and nothing else. */
  readonly secretKey: string;
  /** A publishable key of the issuer `https://idp.example.com` and the audience `my-app`, which requires the claim `plan` to be `pro`. */
  readonly publishableKey: string;
  /** A token of the app's provider. `claims` change those of a good one, and leave out those that are undefined. */
  userToken(claims?: Record<string, unknown>, signer?: SigningKey, header?: Record<string, unknown>): string;
  /** A token of the dashboard's provider. */
  dashboardToken(claims?: Record<string, unknown>): string;
}

/** The message of the answer: that of a denial ends with the address of its section. */
export function messageOf({ answer, says, specific }: Mistake): string {
  const [, reason = ""] = answer.split(" ");
  return Object.hasOwn(DENIALS, reason) ? `${says} See /docs/errors#${specific ?? reason}` : says;
}

export const CREATE = "/api/v1/api-keys/create";
export const LIST = "/api/v1/api-keys/list";
export const UPDATE = "/api/v1/api-keys/update";
export const SEND_MESSAGE = "/api/v1/llm/gateway/send-message";
