import { TRANSPORT_FAULTS } from "../answer/envelope.ts";
import type { BodyFault } from "../request/body-faults.ts";

const FIELDS =
  "A header field is not valid: each is a name without spaces, a colon and a value without control characters, on a line that ends in CR LF.";
const CHUNKS =
  "The chunked body is not valid: each chunk is its size in hexadecimal digits and its bytes, with CR LF after either.";

const TWO_LENGTHS =
  "Content-Length and Transfer-Encoding: send one of the two; a proxy and this service could see different ends of the body.";
/** The parser's reason begins with the header that came second, and has the code of faults in that header's value. */
const SAYS_TWO_LENGTHS = "can't be present with";

/** Our message for each error code of Node's HTTP parser. */
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ["HPE_INVALID_METHOD", "The request must begin with a method of HTTP in capitals, such as POST."],
  ["HPE_INVALID_URL", "The path must begin with / and be of visible ASCII; percent-encode the rest."],
  ["HPE_INVALID_CONSTANT", "The request line must be a method, a path without spaces and HTTP/1.1."],
  ["HPE_INVALID_VERSION", "The request line must end in HTTP/1.1 or HTTP/1.0, and CR LF."],
  ["HPE_INVALID_HEADER_TOKEN", FIELDS],
  ["HPE_UNEXPECTED_SPACE", FIELDS],
  ["HPE_CR_EXPECTED", FIELDS],
  ["HPE_LF_EXPECTED", FIELDS],
  ["HPE_UNEXPECTED_CONTENT_LENGTH", "Content-Length: must be there once."],
  ["HPE_INVALID_CONTENT_LENGTH", "Content-Length: must be digits, the number of the body's bytes."],
  ["HPE_INVALID_TRANSFER_ENCODING", TRANSPORT_FAULTS.invalid_transfer_encoding.message],
  ["HPE_INVALID_CHUNK_SIZE", CHUNKS],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", CHUNKS],
  ["HPE_STRICT", CHUNKS],
  ["HPE_INVALID_EOF_STATE", "The request ended early; send all of it."],
]);

/** What Node reports of bytes that its parser rejected. */
export interface ParserError extends NodeJS.ErrnoException {
  readonly reason?: string;
}

/** The fault of bytes that Node's parser rejected, or that did not arrive in time. */
export function parseFault({ code = "", reason }: ParserError): BodyFault {
  const fault = faultOf(code);
  if (reason?.includes(SAYS_TWO_LENGTHS)) return { fault, message: TWO_LENGTHS };
  return { fault, message: MESSAGES.get(code) ?? TRANSPORT_FAULTS[fault].message };
}

function faultOf(code: string): BodyFault["fault"] {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return "headers_too_large";
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return "request_timeout";
    default:
      return "bad_request";
  }
}
