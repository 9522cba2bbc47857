import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type EdgeDecision,
  EdgeDecisionSchema,
  type EdgeKey,
  type EdgeKeyFormats,
  EdgeKeyFormatsSchema,
  EdgeKeySchema,
  type ResolveResponse,
  ResolveResponseSchema,
} from "../../gen/latchkey/v1/edge_service_pb.ts";
import type { FoundKey } from "../../src/domain/credentials/key.ts";
import type { KeyFormatList } from "../../src/domain/key-formats/key-format.ts";
import { isCompleteOidc } from "../../src/domain/keys/oidc.ts";
import type { LimitDecision, PeekedLimit } from "../../src/domain/limits/decision.ts";
import { toEdgeDecision, toEdgeFormats, toEdgeKey, toEdgeState } from "../../src/services/edge-converter.ts";

/** A key as an edge gets it, with the way over the wire. */
export function sentKey(key: FoundKey): EdgeKey {
  const message = create(EdgeKeySchema, toEdgeKey(key, isCompleteOidc));
  return fromBinary(EdgeKeySchema, toBinary(EdgeKeySchema, message));
}

/** Formats as an edge gets them, with the way over the wire. */
export function sentFormats(list: KeyFormatList): EdgeKeyFormats {
  const message = create(EdgeKeyFormatsSchema, toEdgeFormats(list));
  return fromBinary(EdgeKeyFormatsSchema, toBinary(EdgeKeyFormatsSchema, message));
}

/** What the service sends about a key that an edge asks for. Undefined: there is no such key. */
export function resolvedKey(key: FoundKey | undefined, mayKeep: boolean): ResolveResponse {
  if (key === undefined) return create(ResolveResponseSchema, { record: { case: "missing", value: true } });
  return create(ResolveResponseSchema, { record: { case: "key", value: sentKey(key) }, mayKeep });
}

/** What a limit decides, or a look at it shows, as an edge gets it. */
export function sentDecision(decision: LimitDecision | PeekedLimit): EdgeDecision {
  const init = "kind" in decision ? toEdgeDecision(decision) : { ...toEdgeState(decision), atOnce: decision.atOnce };
  return create(EdgeDecisionSchema, init);
}
