import type { createEdge as declared } from "./edge-types.ts";

/** In place of `@latchkey/client/edge` where there is no HTTP/2 that both sides write to. */
export const createEdge: typeof declared = () => {
  throw new Error("an edge needs Node.js; leave out the guard's option edge here, so that it asks the service");
};
