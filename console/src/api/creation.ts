import type { DescMessage, DescMethodUnary, MessageInitShape } from "@bufbuild/protobuf";
import { type UseMutationOptions, useMutation } from "@connectrpc/connect-query";
import { useRef } from "react";

/** The members by which the service knows a call that it has had before. A method has at most one of them. */
const IDS = ["clientRequestId", "clientOrgId"] as const;

/**
 * A mutation that makes something, or a secret. Its answer may be lost on the way: what is asked for again is the same request
 * with the same id, so that the service makes it once.
 */
export function useCreation<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  { onSuccess, ...options }: UseMutationOptions<I, O> = {},
) {
  const last = useRef<{ readonly meant: string; readonly request: MessageInitShape<I> }>(undefined);
  const mutation = useMutation(method, {
    ...options,
    onSuccess: (...args) => {
      last.current = undefined;
      return onSuccess?.(...args);
    },
  });
  /** `meant`: what a person asks for, where the request has more, such as an instant that is counted from now. */
  const make = (request: MessageInitShape<I>, meant: unknown = request): void => {
    const text = JSON.stringify(meant);
    if (last.current?.meant !== text) last.current = { meant: text, request: withId(method.input, request) };
    mutation.mutate(last.current.request);
  };
  return { ...mutation, make };
}

function withId<I extends DescMessage>(input: I, request: MessageInitShape<I>): MessageInitShape<I> {
  const name = IDS.find((id) => Object.hasOwn(input.field, id));
  return name === undefined ? request : Object.assign({}, request, { [name]: crypto.randomUUID() });
}
