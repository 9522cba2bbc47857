import type { DescMessage, DescMethod, Message } from "@bufbuild/protobuf";
import { type Path, reflect } from "@bufbuild/protobuf/reflect";
import { createValidator, type Violation } from "@bufbuild/protovalidate";
import type { Interceptor } from "@connectrpc/connect";
import { invalid } from "../domain/request-fault.ts";

const validator = createValidator();

/** Checks the protovalidate rules of a request, over every protocol. */
export function createValidationInterceptor(): Interceptor {
  return (next) => (req) => {
    if (!req.stream) validateMessage(req.method.input, req.message);
    return next(req);
  };
}

/** Compiles the rules of every request message, which takes tens of milliseconds that no caller should wait for. */
export function warmUpValidation(methods: Iterable<DescMethod>): void {
  for (const method of methods) validator.validate(method.input, reflect(method.input).message);
}

export function validateMessage(schema: DescMessage, message: Message): void {
  const result = validator.validate(schema, message);
  if (result.kind === "error") throw result.error;
  if (result.kind === "invalid") {
    const [first] = result.violations;
    if (first !== undefined) throw invalid(jsonPath(first.field), problem(first));
  }
}

/** The violated field's path in the names of the JSON contract. */
function jsonPath(path: Path): string {
  let text = "";
  for (const step of path) {
    switch (step.kind) {
      case "field":
        text += (text === "" ? "" : ".") + step.jsonName;
        break;
      case "list_sub":
        text += `[${step.index}]`;
        break;
      case "map_sub":
        text += `[${JSON.stringify(String(step.key))}]`;
        break;
    }
  }
  return text;
}

function problem(violation: Violation): string {
  if (violation.ruleId === "string.min_len" || violation.ruleId === "repeated.min_items")
    return `is required: ${violation.message}`;
  return violation.message === "" ? "is invalid" : violation.message;
}
