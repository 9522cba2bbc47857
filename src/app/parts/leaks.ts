import { LeakService } from "../../../gen/latchkey/v1/leak_service_pb.ts";
import { createLeakService } from "../../services/leak-service.ts";
import { GITHUB_LEAKS_PATH } from "../../transport/endpoints/github-leaks.ts";
import { createLeaks } from "../leaks.ts";
import type { Part, PartContext } from "../part.ts";
import { mounted } from "../rpcs.ts";

/** Reports of leaked keys, by an RPC and in GitHub's form. */
export function openLeaks({ config, clock, life, watch, storage, access }: PartContext): Part {
  const { log, metrics, conditions } = watch;
  const { keys, keyClock } = storage;
  const { translate } = access;
  const leaks = createLeaks({ config, keys, keyClock, clock, log, warn: conditions.warn, metrics, translate });
  life.onClose(leaks.close);
  return {
    services: [mounted(LeakService, createLeakService(leaks.service))],
    routes: leaks.github === undefined ? [] : [{ path: GITHUB_LEAKS_PATH, githubLeaks: leaks.github }],
  };
}
