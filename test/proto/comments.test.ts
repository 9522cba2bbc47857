import { execFileSync } from "node:child_process";
import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";

const ROOT = new URL("../../", import.meta.url);

/** Field numbers of the descriptors, of which source locations are made. */
const MESSAGE = 4;
const ENUM = 5;
const SERVICE = 6;
const MEMBER = 2;

test("every service, RPC, message, field, enum and value has a comment, to generate the documentation from", () => {
  const args = ["build", "proto", "-o", "-", "--as-file-descriptor-set"];
  const image = execFileSync("buf", args, { cwd: ROOT, maxBuffer: 64_000_000 });
  const files = fromBinary(FileDescriptorSetSchema, image).file.filter((file) => file.package === "latchkey.v1");
  const bare: string[] = [];
  let seen = 0;
  for (const file of files) {
    const commented = new Set(
      file.sourceCodeInfo?.location
        .filter(({ leadingComments }) => leadingComments.trim() !== "")
        .map(({ path }) => path.join(".")),
    );
    const look = (path: number[], name: string): void => {
      seen += 1;
      if (!commented.has(path.join("."))) bare.push(`${file.name}: ${name}`);
    };
    for (const [i, message] of file.messageType.entries()) {
      look([MESSAGE, i], message.name);
      for (const [j, field] of message.field.entries()) look([MESSAGE, i, MEMBER, j], `${message.name}.${field.name}`);
    }
    for (const [i, type] of file.enumType.entries()) {
      look([ENUM, i], type.name);
      for (const [j, value] of type.value.entries()) look([ENUM, i, MEMBER, j], value.name);
    }
    for (const [i, service] of file.service.entries()) {
      look([SERVICE, i], service.name);
      for (const [j, method] of service.method.entries()) look([SERVICE, i, MEMBER, j], method.name);
    }
  }
  expect(bare).toEqual([]);
  expect(seen).toBeGreaterThan(150);
});
