import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromJson,
  type MessageInitShape,
  toJson,
} from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport, type UnaryResponse } from "@connectrpc/connect";
import type { ErrorReasonName } from "../../../clients/typescript/src/error-reason.ts";
import type { Session } from "../session/session.ts";
import { ServiceError } from "./service-error.ts";

/**
 * Calls of the service with the user's token: unary ones, by Connect's protocol in JSON. A token that is refused is renewed
 * once, since roles, tenant and the provider's keys may have changed since it was issued.
 *
 * Connect's own transport does more, which no page needs, and is a twelfth of what the first page loads.
 */
export function createTransport(session: Session): Transport {
  return {
    async unary(method, signal, _timeoutMs, header, input) {
      try {
        return await call(method, signal, header, input, await session.token());
      } catch (err) {
        if (ConnectError.from(err).code !== Code.Unauthenticated) throw err;
        await session.renew();
        return call(method, signal, header, input, await session.token());
      }
    },
    stream: () => Promise.reject(new ConnectError("The console makes unary calls only.", Code.Unimplemented)),
  };
}

async function call<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  signal: AbortSignal | undefined,
  header: HeadersInit | undefined,
  input: MessageInitShape<I>,
  token: string,
): Promise<UnaryResponse<I, O>> {
  const headers = new Headers(header);
  headers.set("Content-Type", "application/json");
  headers.set("Connect-Protocol-Version", "1");
  headers.set("Authorization", `Bearer ${token}`);
  const response = await fetch(`/${method.parent.typeName}/${method.name}`, {
    method: "POST",
    headers,
    body: JSON.stringify(toJson(method.input, create(method.input, input))),
    ...(signal && { signal }),
  }).catch((err: unknown) => {
    throw ConnectError.from(err);
  });
  if (!response.ok) throw await errorOf(response);
  const message = fromJson(method.output, JSON.parse(await response.text(), toShow), { ignoreUnknownFields: true });
  const { headers: responseHeader } = response;
  return {
    stream: false,
    service: method.parent,
    method,
    header: responseHeader,
    trailer: new Headers(),
    message,
  };
}

/** Members with texts that people chose, which are shown beside others and in sentences; `old` and `new`: in events. */
const CHOSEN = /name$|^(?:description|old|new)$/;
/** Marks that turn the direction of the text after them, with which one name reads like another one. */
const TURNS = /[\u202A-\u202E\u2066-\u2069]/g;

/** For `JSON.parse`: names without such marks, wherever they are shown. */
function toShow(member: string, value: unknown): unknown {
  return typeof value === "string" && CHOSEN.test(member) ? value.replaceAll(TURNS, "") : value;
}

/** An error of the service. A proxy's answer has no such body, and its status alone says what it is. */
async function errorOf(response: Response): Promise<ServiceError> {
  const body: unknown = await response.json().catch(() => undefined);
  const { code, reason, field, message } = (body ?? {}) as ErrorBody;
  const text = message ?? `The service answered with the status ${response.status}.`;
  return new ServiceError(text, codeOf(code, response.status), response.headers, { reason, field });
}

/** Of the error's members in JSON. */
interface ErrorBody {
  readonly code?: string;
  readonly reason?: ErrorReasonName;
  readonly field?: string;
  readonly message?: string;
}

const BY_STATUS: Readonly<Record<number, Code>> = {
  400: Code.Internal,
  401: Code.Unauthenticated,
  403: Code.PermissionDenied,
  404: Code.Unimplemented,
  429: Code.Unavailable,
  502: Code.Unavailable,
  503: Code.Unavailable,
  504: Code.Unavailable,
};

/** `not_found` is `NotFound`. */
function codeOf(name: string | undefined, status: number): Code {
  const [, code] = Object.entries(Code).find(([key]) => key.toLowerCase() === name?.replaceAll("_", "")) ?? [];
  return typeof code === "number" ? code : (BY_STATUS[status] ?? Code.Unknown);
}
