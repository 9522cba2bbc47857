/**
 * Parts of `node:http`. An import of that module makes Node load its whole fetch implementation for one getter, which adds
 * 30 ms to a start, and no call needs it.
 */
export const { createServer, METHODS, STATUS_CODES } = process.getBuiltinModule("node:http");
