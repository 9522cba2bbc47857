import { create } from "@bufbuild/protobuf";
import { EdgeService, EdgeSettingsSchema } from "../../../gen/latchkey/v1/edge_service_pb.ts";
import { createCatalogue } from "../../domain/access/catalogue.ts";
import { checkMessage } from "../../interceptors/message-checks.ts";
import { reportEdges } from "../../observability/metrics/edges.ts";
import { createEdgeService } from "../../services/edge-service.ts";
import { cacheKeyFormats } from "../../store/replicas/cached-reads.ts";
import { createSharedReads } from "../../store/replicas/shared-reads.ts";
import { FORMATS_SUBJECT, tenantSubject } from "../../store/replicas/subjects.ts";
import { createUsedOnce } from "../../store/sql/access-tokens/used-once.ts";
import { ownService } from "../../transport/grpc/open-services.ts";
import type { Part, PartContext } from "../part.ts";

/** Serves the edges that follow this process, if there may be any. */
export function openEdges({ config, secrets, life, watch, storage, access }: PartContext): Part {
  const { followers, cache } = storage.records;
  reportEdges(watch.metrics, followers);
  if (config.edgeTokens.length === 0) return {};
  life.onStop(() => followers.close());
  const builtIn = createCatalogue();
  const { resource, trustedProxies } = config;
  const service = createEdgeService({
    matchEdgeToken: secrets.matchEdgeToken,
    followers,
    tenantSubject,
    formatsSubject: FORMATS_SUBJECT,
    readFormats: cacheKeyFormats(cache, storage.formats),
    foreignKeys: access.foreignKeys,
    keys: cache.inFrontOf(createSharedReads(storage.keys)),
    tenants: storage.tenants,
    tokens: access.tokens,
    isUsableOidc: access.isUsableOidc,
    limiter: storage.limits.limiter,
    usage: access.usage,
    requestRecorder: access.requestRecorder,
    impersonations: access.impersonations,
    usedOnce: createUsedOnce(storage.database),
    settings: create(EdgeSettingsSchema, {
      ownScopes: config.access.catalogue.scopes.filter(({ name }) => !builtIn.isAction(name)),
      operatorTenant: config.access.operatorTenant ?? "",
      keyBrand: config.keyBrand ?? "",
      proxyRanges: trustedProxies.ranges.map(({ first, prefixBits }) => `${first.text}/${prefixBits}`),
      proxyHeader: trustedProxies.header ?? "",
      ...(resource && {
        resource: {
          ...resource,
          authorizationServers: [...resource.authorizationServers],
          scopes: [...resource.scopes],
        },
      }),
      keepsRequests: access.requestRecorder.isOn,
    }),
    clock: storage.keyClock,
    checkMessage,
    translate: access.translate,
    onFailure: storage.logFailure("what an edge asked of a budget failed"),
  });
  return { ownServices: [ownService(EdgeService, service)] };
}
