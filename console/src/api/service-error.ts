import { type Code, ConnectError } from "@connectrpc/connect";
import type { ErrorReasonName } from "../../../clients/typescript/src/error-reason.ts";

/** An error that the service answered with. The client's `reasonOf` reads the same of the typed details, for more bytes. */
export class ServiceError extends ConnectError {
  /** May be younger than this page, and then none of the names that it knows. */
  readonly reason: ErrorReasonName | undefined;
  /** The member of the request at fault, as JSON spells it. */
  readonly field: string | undefined;

  constructor(message: string, code: Code, metadata: Headers, about: Pick<ServiceError, "reason" | "field">) {
    super(message, code, metadata);
    this.reason = about.reason;
    this.field = about.field;
  }
}
