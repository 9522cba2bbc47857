/** Documents of identity providers, by URLs that tenants configured. */
export interface ProviderMetadata {
  /**
   * Fetches a JSON document for a tenant, from public addresses only. The problem is a phrase that names no host and no
   * address. Never rejects.
   */
  fetchDocument(url: string, tenantId: string): Promise<FetchedDocument>;
}

export type FetchedDocument = { readonly document: unknown } | { readonly problem: string };
