import type { Awaitable } from "../domain/vocabulary/awaitable.ts";
import type { Hint } from "../store/sql/driver/hints.ts";
import type { EndpointsContext } from "../transport/endpoints/endpoints.ts";
import type { OwnService } from "../transport/grpc/open-services.ts";
import type { Removal } from "../workers/purge-loop.ts";
import type { Access } from "./access.ts";
import type { MountedService } from "./rpcs.ts";
import type { Setup } from "./setup.ts";
import type { Storage } from "./storage.ts";
import type { Watch } from "./watch.ts";

/** One capability of the service: what it adds to the door and to the work in the background. */
export interface Part {
  readonly services?: readonly MountedService[];
  /** Services outside of the API: they check their callers themselves, and are served only over gRPC. */
  readonly ownServices?: readonly OwnService[];
  /** What serves its paths beside the RPCs. The table of all paths is in `transport/endpoints`. */
  readonly endpoints?: PartEndpoints;
  /** What removes its old rows. */
  readonly removals?: readonly Removal[];
  /** Takes the announcements of other replicas. */
  readonly onHint?: (hint: Hint) => void;
}

export type PartEndpoints = Partial<Omit<EndpointsContext, "readiness" | "metrics">>;

/** What a part may use. */
export interface PartContext extends Setup {
  readonly watch: Watch;
  readonly storage: Storage;
  readonly access: Access;
}

export type OpenPart = (ctx: PartContext) => Awaitable<Part>;
