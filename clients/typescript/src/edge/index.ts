import { createEdge as create } from "../../../../src/edge/edge.ts";
import type { createEdge as declared } from "../server/edge-types.ts";

/** The service's own code, which is built into the package: one source, two builds (ADR 59). */
export const createEdge: typeof declared = (config) => {
  if (!("withResolvers" in Promise))
    throw new Error("an edge needs Node.js 22 or later; without one the guard asks the service");
  return create(config);
};
