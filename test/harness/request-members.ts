import { type DescField, type DescMessage, type DescMethod, ScalarType } from "@bufbuild/protobuf";
import { SERVICES } from "../../gen/latchkey/v1/services.ts";

/** A member of a request whose size its type does not bound. */
export interface SizedMember {
  readonly method: DescMethod;
  /** The fields on the way to it, itself at the end. */
  readonly fields: readonly DescField[];
  /** `bytes` are none: no request has them. */
  readonly kind: "text" | "list" | "map";
}

/** Every text, list and map of every request, those of the messages in it included. A list of texts is both. */
export function sizedMembers(): SizedMember[] {
  return SERVICES.flatMap(({ methods }) =>
    methods.flatMap((method) => membersOf(method.input).map((member) => ({ method, ...member }))),
  );
}

/** As a fault names it: `publishableConfig.oidc.issuer`, and `user_message.content[].content` in a list. */
export function memberName({ fields, kind }: Pick<SizedMember, "fields" | "kind">): string {
  return fields
    .map((field, index) => {
      const isInside = index < fields.length - 1 || kind === "text";
      return field.fieldKind === "list" && isInside ? `${field.jsonName}[]` : field.jsonName;
    })
    .join(".");
}

function membersOf(message: DescMessage, before: readonly DescField[] = []): Omit<SizedMember, "method">[] {
  return message.fields.flatMap((field) => {
    const fields = [...before, field];
    const own = kindsOf(field).map((kind) => ({ fields, kind }));
    const isOurs = field.message?.typeName.startsWith("latchkey.") === true;
    return field.message !== undefined && isOurs ? [...own, ...membersOf(field.message, fields)] : own;
  });
}

function kindsOf(field: DescField): SizedMember["kind"][] {
  if (field.fieldKind === "map") return ["map"];
  const isText = field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES;
  return [...(field.fieldKind === "list" ? ["list" as const] : []), ...(isText ? ["text" as const] : [])];
}
