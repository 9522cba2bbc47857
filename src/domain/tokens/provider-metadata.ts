import type { JwksOwner } from "./claims.ts";

/** Documents of identity providers. */
export interface ProviderMetadata {
  /**
   * Fetches a JSON document from a URL that its owner configured: a tenant's from public addresses only. The problem is a
   * phrase that names no host and no address. Never rejects.
   */
  fetchDocument(url: string, owner: JwksOwner): Promise<FetchedDocument>;
}

export type FetchedDocument = { readonly document: unknown } | { readonly problem: string };
