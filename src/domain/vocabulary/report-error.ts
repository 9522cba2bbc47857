/**
 * Logs an error with a message and with `fields` that say what it concerns. Repeated errors of one condition are counted
 * instead.
 */
export type ReportError = (message: string, err: unknown, fields?: Readonly<Record<string, unknown>>) => void;
