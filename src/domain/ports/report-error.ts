/**
 * Logs an error with what it means and, as `fields`, what it happened to. Errors of one condition that follow one another are
 * counted instead.
 */
export type ReportError = (message: string, err: unknown, fields?: Readonly<Record<string, unknown>>) => void;
