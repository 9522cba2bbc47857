import type { DescFile, DescMethod, DescService } from "@bufbuild/protobuf";
import { paragraphsOf } from "../protoc-gen-openapi/comments.ts";

const HEADER = '"""Generated from the protos by `npm run generate:python`. Do not edit."""\n';
const WIDTH = 100;

/** A class for each service, and one whose calls are awaited. */
export function callsModule(services: readonly DescService[]): string {
  const classes = services.flatMap((service) => [serviceClass(service, false), serviceClass(service, true)]);
  return [
    HEADER,
    "from latchkey import v1",
    "from latchkey._call import AsyncCall, Call",
    ...classes.map((text) => `\n\n${text}`),
  ].join("\n");
}

/** Re-exports what the modules of all files have, by name. */
export function messagesModule(files: readonly DescFile[]): string {
  const lines = files.flatMap((file) => {
    const names = [
      ...file.messages.map(({ name }) => name),
      ...file.enums.flatMap(({ name, values }) => [name, ...values.map((value) => value.name)]),
    ];
    if (names.length === 0) return [];
    return [
      `from latchkey.v1.${file.name.split("/").at(-1)}_pb2 import (`,
      ...names.map((name) => `    ${name} as ${name},`),
      ")",
    ];
  });
  return [HEADER, ...lines].join("\n");
}

function serviceClass(service: DescService, isAsync: boolean): string {
  return [
    `class ${isAsync ? "Async" : ""}${service.name}:`,
    ...docstring(paragraphsOf(service), 4),
    "",
    `    def __init__(self, call: ${isAsync ? "AsyncCall" : "Call"}) -> None:`,
    "        self._call = call",
    ...service.methods.flatMap((method) => ["", ...call(method, isAsync)]),
  ].join("\n");
}

function call(method: DescMethod, isAsync: boolean): string[] {
  const { parent, name, input, output } = method;
  const path = `/${parent.typeName}/${name}`;
  const pythonName = name.replaceAll(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  return [
    `    ${isAsync ? "async " : ""}def ${pythonName}(self, request: v1.${input.name}) -> v1.${output.name}:`,
    ...docstring(paragraphsOf(method), 8),
    `        return ${isAsync ? "await " : ""}self._call("${path}", request, v1.${output.name})`,
  ];
}

function docstring(paragraphs: readonly string[], indent: number): string[] {
  const pad = " ".repeat(indent);
  const lines = paragraphs.map((paragraph) => wrapped(paragraph, WIDTH - indent).map((line) => `${pad}${line}`));
  const [first = "", ...rest] = lines.flatMap((paragraph, index) => (index === 0 ? paragraph : ["", ...paragraph]));
  const opening = `${pad}"""${first.trimStart()}`;
  return rest.length === 0 ? [`${opening}"""`] : [opening, ...rest, `${pad}"""`];
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
