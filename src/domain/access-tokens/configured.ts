import { RequestFault } from "../vocabulary/request-fault.ts";

/** The issuer, or another part of it. Throws where the operator of the service has not configured one. */
export function requireConfigured<Issuer>(issuer: Issuer | undefined): Issuer {
  if (issuer !== undefined) return issuer;
  throw new RequestFault(
    "tokens_not_configured",
    "This service issues no tokens of its own; have its operator set TOKEN_SECRET and TOKEN_ISSUER.",
  );
}
