/** By which the edges of tests follow. */
export const EDGE_TOKEN = "edge-token-of-tests-0123456789abcdef";
