import type { ScopeService } from "../../gen/latchkey/v1/scope_service_pb.ts";
import type { Catalogue } from "../domain/access/catalogue.ts";
import { refusePageToken } from "../domain/vocabulary/page.ts";
import type { UnaryImpl } from "../interceptors/call.ts";

export function createScopeService({ scopes }: Pick<Catalogue, "scopes">): UnaryImpl<typeof ScopeService> {
  return {
    listScopes(req) {
      refusePageToken(req);
      return { scopes: scopes.map((scope) => ({ ...scope })) };
    },
  };
}
