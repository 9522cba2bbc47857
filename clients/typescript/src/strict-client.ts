import type { DescMessage, DescMethod, DescService, Message, MessageShape } from "@bufbuild/protobuf";
import { type CallOptions, createClient, type Transport } from "@connectrpc/connect";
import { checkInput } from "./checked-input.ts";
import { markMethod } from "./each-of.ts";
import { checkArgument, namesOf } from "./known-options.ts";
import { makePrintable } from "./printable.ts";
import { type RequestInput, withMessages } from "./request-input.ts";

/** The calls of a service, all of which are unary. */
export type ServiceClient<S extends DescService> = {
  [Name in keyof S["method"]]: UnaryCall<S["method"][Name]["input"], S["method"][Name]["output"]>;
};

type UnaryCall<I extends DescMessage, O extends DescMessage> = (
  request: RequestInput<I>,
  options?: CallOptions,
) => Promise<MessageShape<O>>;

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
export function createStrictClient<S extends DescService>(service: S, transport: Transport): ServiceClient<S> {
  const client = createClient(service, transport);
  const calls: object = client;
  for (const method of service.methods) {
    Reflect.set(calls, method.localName, strict(Reflect.get(calls, method.localName), method));
  }
  return calls as ServiceClient<S>;
}

/** Connect's interceptors come too late: by then Protobuf has dropped what it does not know. */
function strict(call: Call, method: DescMethod): Call {
  const { input, output } = method;
  const strictly: Call = async (given, options) => {
    const request = given === undefined || given === null ? given : withMessages(input, given);
    if (request !== undefined && request !== null) checkInput(input, request);
    if (options !== undefined) checkArgument(options, CALL_OPTIONS, "options");
    const answer = await call(request, options);
    makePrintable(output, answer);
    return answer;
  };
  markMethod(strictly, method);
  return strictly;
}
