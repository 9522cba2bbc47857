/**
 * Most inputs of a batch. Larger batches save little, and every caller waits for the whole batch. With batches of this
 * size the server works on one while this process gathers the next.
 */
const INPUTS_MAX = 8;

interface Batch<Input, Output> {
  readonly inputs: Input[];
  readonly outputs: Promise<readonly Output[]>;
  send(): void;
}

/**
 * Gathers the calls of one tick of the event loop into batches. Node spends the tick reading the requests that have
 * arrived; together they share one round trip to a server, which is most of the cost of each. No call waits for another
 * tick, and none gets a result whose batch was sent before the call.
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
      gathering.set(group, undefined);
      clearImmediate(endOfTick);
      resolve(runBatch(inputs));
    };
    const endOfTick = setImmediate(send);
    const batch = { inputs, outputs, send };
    gathering.set(group, batch);
    return batch;
  }

  return (group, input) => {
    const batch = gathering.get(group) ?? begin(group);
    const n = batch.inputs.push(input) - 1;
    if (batch.inputs.length >= INPUTS_MAX) batch.send();
    return batch.outputs.then((outputs) => outputs[n] as Output);
  };
}
