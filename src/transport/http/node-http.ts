/**
 * Of `node:http`. An `import` of that module makes Node load its whole fetch for a getter there: 50 ms of CPU at start,
 * instead of 5, for what no call needs.
 */
export const { createServer, METHODS, STATUS_CODES } = process.getBuiltinModule("node:http");
