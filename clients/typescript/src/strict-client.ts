import type { DescMessage, DescService, Message } from "@bufbuild/protobuf";
import { type CallOptions, type Client, createClient, type Transport } from "@connectrpc/connect";
import { checkInput } from "./checked-input.ts";
import { checkArgument, namesOf } from "./known-options.ts";
import { makePrintable } from "./printable.ts";

const CALL_OPTIONS = namesOf<CallOptions>({
  timeoutMs: true,
  headers: true,
  signal: true,
  onHeader: true,
  onTrailer: true,
  contextValues: true,
});

type Call = (input: unknown, options?: CallOptions) => Promise<Message>;

/**
 * Connect's client of a service, whose calls refuse what their request does not know, before anything else is done, and whose
 * answers `JSON.stringify` and `console.log` take.
 */
export function createStrictClient<S extends DescService>(service: S, transport: Transport): Client<S> {
  const client = createClient(service, transport);
  const calls: object = client;
  for (const { localName, input, output } of service.methods) {
    Reflect.set(calls, localName, strict(Reflect.get(calls, localName), input, output));
  }
  return client;
}

/** Connect's interceptors come too late: by then Protobuf has dropped what it does not know. */
function strict(call: Call, input: DescMessage, output: DescMessage): Call {
  return async (request, options) => {
    if (request !== undefined && request !== null) checkInput(input, request);
    if (options !== undefined) checkArgument(options, CALL_OPTIONS, "options");
    const answer = await call(request, options);
    makePrintable(output, answer);
    return answer;
  };
}
