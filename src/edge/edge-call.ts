import type { Call } from "../interceptors/call.ts";

/** What an edge knows of a call before it decides. */
export type EdgeCallSource = Pick<
  Call,
  "credentials" | "origin" | "isFromBrowser" | "address" | "procedure" | "costReader"
>;

/**
 * A call that an edge decides. Its id is made when it is first read: by a refusal, or by what is kept of a call. Almost no other
 * one needs it. A class, because V8 makes a hidden class of its own for each object literal with a getter.
 */
export class EdgeCall implements Call {
  readonly credentials: Call["credentials"];
  readonly origin: Call["origin"];
  readonly isFromBrowser: boolean;
  readonly address: Call["address"];
  readonly procedure: Call["procedure"];
  readonly costReader: Call["costReader"];
  // All members from the start: each that is added later would change the shape of the object.
  policy: Call["policy"] = undefined;
  verdict: Call["verdict"] = undefined;
  denial: Call["denial"] = undefined;
  limit: Call["limit"] = undefined;
  readonly #newId: () => string;
  #requestId: string | undefined = undefined;

  constructor(source: EdgeCallSource, newId: () => string) {
    this.credentials = source.credentials;
    this.origin = source.origin;
    this.isFromBrowser = source.isFromBrowser;
    this.address = source.address;
    this.procedure = source.procedure;
    this.costReader = source.costReader;
    this.#newId = newId;
  }

  get requestId(): string {
    this.#requestId ??= this.#newId();
    return this.#requestId;
  }
}
