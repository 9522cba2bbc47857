import type { DescEnum } from "@bufbuild/protobuf";
import { paragraphsOf } from "../protoc-gen-openapi/comments.ts";
import { camelCase, declared } from "./names.ts";
import { docComment } from "./text.ts";

/** The reasons of denials and of all other errors, by the names that JSON has. No name is in both enums. */
export function reasonsOf(enums: readonly DescEnum[]): string[] {
  const values = enums.flatMap((desc) => desc.values.filter(({ number }) => number !== 0));
  return [
    "extension LatchkeyError.Reason {",
    ...values.flatMap((value, index) => [
      ...(index === 0 ? [] : [""]),
      ...docComment(paragraphsOf(value), 4),
      `    public static let ${declared(camelCase(value.localName))} = Self(rawValue: "${value.localName.toLowerCase()}")`,
    ]),
    "}",
  ];
}
