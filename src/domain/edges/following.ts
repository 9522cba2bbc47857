/** A message of a replica to an edge. `number` counts the messages that must be acknowledged. */
export type ToEdge =
  | { readonly kind: "drop"; readonly number: number; readonly subjects: readonly string[] }
  | { readonly kind: "drop_all"; readonly number: number };

/** An edge that follows this process. */
export interface Follower {
  readonly edgeId: string;
  /**
   * For how many ms the edge may use its records, counted from before it asked: what is left of the replica's own lease, less a
   * margin. 0: it may use none. What was sent before must not be overtaken by the answer.
   */
  grant(): number;
  /** The edge has dropped every listed record, up to this message. */
  acknowledge(number: number): void;
  /** The stream has ended, which says nothing about what the edge still uses: that is waited for until its lease has ended. */
  leave(): void;
}

/** The edges that have records of this process (ADR 59). */
export interface Following {
  /** `send` must keep the order, with the leases. `end` ends the stream. */
  follow(send: (message: ToEdge) => void, end: () => void): Follower;
  /**
   * Whether the edge may keep the subject's record, if it is read from now on: each change that begins later is sent to it. Call it
   * before the record is read. False: the record is being changed, so it is read each time, or the edge does not follow.
   */
  hold(edgeId: string, subject: string): boolean;
}
