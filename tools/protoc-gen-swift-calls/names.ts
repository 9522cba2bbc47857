import type { DescEnum, DescField, DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";

/** Words that Swift spells in one case, as `baseURL` and `url`. */
const ABBREVIATIONS = new Set(["api", "http", "https", "id", "ip", "jwks", "jwt", "oidc", "url"]);
/** Names that a declaration must have in backticks. After a dot they need none. */
const KEYWORDS = new Set(
  `associatedtype class deinit enum extension fileprivate func import init inout internal let open operator private
   protocol public static struct subscript typealias var break case continue default defer do else fallthrough for guard
   if in repeat return switch where while as Any catch false is nil rethrows super self Self throw throws true
   try`.split(/\s+/),
);
/** Types of Swift's that generated code uses by these names. A nested type of the same name would hide them. */
const TAKEN = new Set(
  "Bool CodingKeys Date Decoder Double Encoder Int Int64 JSONValue Mirror Protocol String Type V1".split(" "),
);

/** `conversation_key` as `conversationKey`, `thread_id` as `threadID`. */
export function camelCase(snakeCase: string): string {
  return snakeCase
    .toLowerCase()
    .split("_")
    .map((word, index) => (index === 0 ? word : upperWord(word)))
    .join("");
}

/** A name as a declaration has it. */
export function declared(name: string): string {
  return KEYWORDS.has(name) ? `\`${name}\`` : name;
}

/** The name of a type, within `V1`. */
export function typeName({ name, typeName: full }: DescMessage | DescEnum | DescService): string {
  if (TAKEN.has(name)) throw new Error(`${full} would hide a type of Swift's: name it otherwise in names.ts`);
  return name;
}

export function memberName({ name }: DescField): string {
  return camelCase(name);
}

export function callName({ name }: DescMethod): string {
  return `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`;
}

/** `latchkey/v1/api_key.proto` as `ApiKey`. */
export function fileName(protoName: string): string {
  const base = protoName.split("/").at(-1) ?? protoName;
  return base
    .split("_")
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
}

function upperWord(word: string): string {
  if (ABBREVIATIONS.has(word)) return word.toUpperCase();
  if (word.endsWith("s") && ABBREVIATIONS.has(word.slice(0, -1))) return `${word.slice(0, -1).toUpperCase()}s`;
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
