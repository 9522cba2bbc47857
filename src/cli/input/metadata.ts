import type { JsonObject } from "@bufbuild/protobuf";
import { InvalidArgumentError } from "commander";

/** Reads a JSON object. The service checks the rest. */
export function parseMetadata(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new InvalidArgumentError('It must be a JSON object, such as {"plan":"pro"}.');
  }
  return { ...value };
}
