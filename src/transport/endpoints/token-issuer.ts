import { PROOF_ALGORITHMS } from "../../domain/access-tokens/proof.ts";
import { JWKS_PATH, METADATA_PATHS } from "../../domain/tokens/own-issuer.ts";
import type { Incoming } from "../request/exchange.ts";
import type { Endpoint } from "./endpoint.ts";
import { type Page, page, pageAnswer } from "./page.ts";

/** What verifiers and clients of the service's own tokens need to know. */
export interface TokenIssuerDocuments {
  /** `TOKEN_ISSUER`. */
  readonly issuer: string;
  /** The public keys now. Another list once they have changed. */
  readonly publicJwks: readonly object[];
  /** The scopes that tokens can have. */
  readonly scopes: readonly string[];
}

type Document = Pick<Endpoint, "path"> & { readonly answer: (req: Incoming) => ReturnType<typeof pageAnswer> };

/** Of the token endpoint, below the issuer. */
const TOKEN_PATH = "/oauth/token";
const GRANT_TYPES = ["urn:ietf:params:oauth:grant-type:token-exchange", "urn:ietf:params:oauth:grant-type:jwt-bearer"];
/** A key is published a day before it signs, so a cached key set is old enough by far. */
const CACHED = { "access-control-allow-origin": "*", "cache-control": "public, max-age=300" };

/**
 * Serves the public keys and the metadata of the authorization server to anyone: where RFC 8414 has it and where OpenID Connect does,
 * which is the only place that many libraries know. For an issuer with a path, it is also before that path (RFC 8414, 3.1).
 */
export function tokenIssuerDocuments(documents: TokenIssuerDocuments): Document[] {
  const { issuer, scopes } = documents;
  const base = issuer.replace(/\/$/, "");
  const metadata = cachedPage({
    issuer,
    token_endpoint: `${base}${TOKEN_PATH}`,
    jwks_uri: `${base}${JWKS_PATH}`,
    scopes_supported: scopes,
    response_types_supported: [],
    grant_types_supported: GRANT_TYPES,
    // A rule has no secret; one that is sent is not read.
    token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
    // OpenID Connect requires both. There are no ID tokens: these are the algorithms of access tokens, which libraries check alike.
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
    dpop_signing_alg_values_supported: PROOF_ALGORITHMS,
  });
  let keys = documents.publicJwks;
  let keySet = cachedPage({ keys });

  function currentKeySet(): Page {
    if (keys !== documents.publicJwks) {
      keys = documents.publicJwks;
      keySet = cachedPage({ keys });
    }
    return keySet;
  }

  const { pathname } = new URL(issuer);
  const paths = new Set(METADATA_PATHS.flatMap((path) => [path, `${path}${pathname.replace(/\/$/, "")}`]));
  return [
    { path: JWKS_PATH, answer: ({ headers }) => pageAnswer(currentKeySet(), headers["if-none-match"]) },
    ...Array.from(
      paths,
      (path): Document => ({
        path,
        answer: ({ headers }) => pageAnswer(metadata, headers["if-none-match"]),
      }),
    ),
  ];
}

function cachedPage(document: object): Page {
  return page("application/json", JSON.stringify(document), CACHED);
}
