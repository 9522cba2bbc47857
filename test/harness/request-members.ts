import { type DescField, type DescMessage, type DescMethod, ScalarType } from "@bufbuild/protobuf";
import { SERVICES } from "../../gen/latchkey/v1/services.ts";

/** A member of a request, or of a message in it. */
export interface RequestMember {
  readonly method: DescMethod;
  /** The fields on the way to it, itself at the end. */
  readonly fields: readonly DescField[];
  readonly field: DescField;
}

/** Every member of every request, those of the messages in it included. */
export function requestMembers(): RequestMember[] {
  return SERVICES.flatMap(({ methods }) =>
    methods.flatMap((method) =>
      fieldsOf(method.input).map((fields) => ({ method, fields, field: fields.at(-1) as DescField })),
    ),
  );
}

function fieldsOf(message: DescMessage, before: readonly DescField[] = []): (readonly DescField[])[] {
  return message.fields.flatMap((field) => {
    const fields = [...before, field];
    const isOurs = field.message?.typeName.startsWith("latchkey.") === true;
    return field.message !== undefined && isOurs ? [fields, ...fieldsOf(field.message, fields)] : [fields];
  });
}

/** A body that has the member alone, with what it lies in. `nameOf` is how each field is spelt. */
export function bodyWithAlone(
  { fields }: Pick<RequestMember, "fields">,
  value: unknown,
  nameOf: (field: DescField) => string = ({ jsonName }) => jsonName,
): object {
  return fields.reduceRight<unknown>((inner, field, index) => {
    const isAround = index < fields.length - 1;
    return { [nameOf(field)]: isAround && field.fieldKind === "list" ? [inner] : inner };
  }, value) as object;
}

/** As a fault of the body above names it: `user_message.content[0].content`. */
export function pathOf(
  { fields }: Pick<RequestMember, "fields">,
  nameOf: (field: DescField) => string = ({ jsonName }) => jsonName,
): string {
  return fields
    .map((field, index) => nameOf(field) + (index < fields.length - 1 && field.fieldKind === "list" ? "[0]" : ""))
    .join(".");
}

/** A member of a request whose size its type does not bound. */
export interface SizedMember extends Omit<RequestMember, "field"> {
  /** `bytes` are none: no request has them. */
  readonly kind: "text" | "list" | "map";
}

/** Every text, list and map of every request, those of the messages in it included. A list of texts is both. */
export function sizedMembers(): SizedMember[] {
  return requestMembers().flatMap(({ method, fields, field }) =>
    kindsOf(field).map((kind) => ({ method, fields, kind })),
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

function kindsOf(field: DescField): SizedMember["kind"][] {
  if (field.fieldKind === "map") return ["map"];
  const isText = field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES;
  return [...(field.fieldKind === "list" ? ["list" as const] : []), ...(isText ? ["text" as const] : [])];
}
