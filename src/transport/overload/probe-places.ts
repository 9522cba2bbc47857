import { flowOfAddress } from "./flows.ts";
import { createShares, type Place } from "./shares.ts";

/** Probes that may be under way while each address has some. A service has a few; what is left unfinished is a stranger's. */
const PROBES_MAX = 2_048;

/** The places of probes, apart from those of requests: neither takes any of the other's. */
export interface ProbePlaces {
  /** Whether an address has more probes of a path under way than places are left. */
  isTaken(path: string, address: string | null): boolean;
  /** Takes a place for a probe that is not answered at once. */
  begin(path: string, address: string | null): Place;
}

/**
 * Probes are answered when nothing else is, so that an orchestrator does not end a process for its load. That must not make
 * them the way to hold the process: a stranger's unfinished calls of gRPC's health keep no other address's probe from being
 * answered, and none of another path from the same address, which an orchestrator may share with strangers behind a proxy. An
 * address without an unfinished one always has a place, however many there are. A probe that is answered at once, as `/healthz`
 * is, never takes one.
 */
export function createProbePlaces(max = PROBES_MAX): ProbePlaces {
  const shares = createShares(max);
  let underWay = 0;
  const lineOf = (path: string, address: string | null) => ({
    name: `${path} ${flowOfAddress(address).name}`,
    isManager: false,
  });
  return {
    isTaken: (path, address) => shares.isTaken(lineOf(path, address), underWay + 1),
    begin(path, address) {
      const place = shares.begin(lineOf(path, address));
      underWay += 1;
      return {
        ...place,
        end() {
          place.end();
          underWay -= 1;
        },
      };
    },
  };
}
