/**
 * Maximum number of inputs of a batch. Larger batches save little, and every caller waits for the whole batch. With
 * batches of this size the server works on one while this process gathers the next.
 */
const INPUTS_MAX = 8;

interface Batch<Input, Output> {
  readonly inputs: Input[];
  readonly outputs: Promise<readonly Output[]>;
  send(): void;
}

/**
 * Gathers calls that come together into batches, which share one round trip to a server: most of the cost of each. The
 * transport runs the requests of a tick behind each other (`transport/overload/request-queue.ts`), so a batch is sent as soon as the
 * code that runs now has ended, its microtasks included. No call gets a result whose batch was sent before the call.
 *
 * Calls are batched by `group`, of which there must be few. `runBatch` returns one output for each input, in their
 * order, or rejects for the whole batch.
 */
export function createBatches<Input, Output>(
  runBatch: (inputs: readonly Input[]) => Promise<readonly Output[]>,
): (group: string, input: Input) => Promise<Output> {
  /** Groups stay in the map, without a batch: a map that is emptied again and again allocates a new table each time. */
  const gathering = new Map<string, Batch<Input, Output> | undefined>();

  function begin(group: string): Batch<Input, Output> {
    const inputs: Input[] = [];
    const { promise: outputs, resolve } = Promise.withResolvers<readonly Output[]>();
    const send = (): void => {
      // A full batch was sent before.
      if (gathering.get(group) !== batch) return;
      gathering.set(group, undefined);
      resolve(runBatch(inputs));
    };
    const batch = { inputs, outputs, send };
    gathering.set(group, batch);
    process.nextTick(send);
    return batch;
  }

  return (group, input) => {
    const batch = gathering.get(group) ?? begin(group);
    const n = batch.inputs.push(input) - 1;
    if (batch.inputs.length >= INPUTS_MAX) batch.send();
    return batch.outputs.then((outputs) => outputs[n] as Output);
  };
}
