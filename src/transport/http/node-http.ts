/**
 * Of `node:http`. To import that module makes Node load its whole fetch for a getter there: 30 ms of a start, for what no
 * judged call needs.
 */
export const { createServer, METHODS, STATUS_CODES } = process.getBuiltinModule("node:http");
