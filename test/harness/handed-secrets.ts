import { type DescField, type DescMessage, type DescMethod, ScalarType } from "@bufbuild/protobuf";
import { SERVICES } from "./services.ts";

/** Names that a member has which hands over a secret. */
const SECRET_NAME = /(?:^|_)(?:key|secret|token)$/;
/** Members of such a name that hand over none, each with what it is. */
const NO_SECRETS: Readonly<Record<string, string>> = {
  operator_token: "which of the operator's two tokens it was",
  conversation_key: "the caller's own name of a conversation",
  next_page_token: "a place in a list",
};

/** Every secret that a response hands over: the RPC, and the member's path in the response. */
export const HANDED_SECRETS: readonly { readonly method: DescMethod; readonly place: string }[] = SERVICES.flatMap(
  ({ methods }) => methods.flatMap((method) => secretsIn(method.output).map((place) => ({ method, place }))),
);

/** The members of a message, and of those in it, that by their names may hand over a secret. */
function secretsIn({ fields }: DescMessage, path = "", above: readonly string[] = []): string[] {
  return fields.flatMap((field) => {
    const place = `${path}${field.name}`;
    if (field.message !== undefined) {
      const { typeName } = field.message;
      return above.includes(typeName) ? [] : secretsIn(field.message, `${place}.`, [...above, typeName]);
    }
    return isText(field) && SECRET_NAME.test(field.name) && !(field.name in NO_SECRETS) ? [place] : [];
  });
}

function isText(field: DescField): boolean {
  const holds = (scalar: ScalarType): boolean => scalar === ScalarType.STRING || scalar === ScalarType.BYTES;
  return (
    (field.fieldKind === "scalar" && holds(field.scalar)) ||
    (field.fieldKind === "list" && field.listKind === "scalar" && holds(field.scalar))
  );
}
