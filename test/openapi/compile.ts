import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createFileRegistry, type DescFile, type FileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** What a small proto may import, by its place in the workspace that is made for it. */
const IMPORTS = {
  "latchkey/latchkey/v1/policy.proto": "proto/latchkey/v1/policy.proto",
  "latchkey/latchkey/v1/documentation.proto": "proto/latchkey/v1/documentation.proto",
  "third_party/buf": "third_party/buf",
  "google/google/api": "node_modules/protobufjs/google/api",
};
const MODULES = ["latchkey", "third_party", "google", "small"].map((path) => `  - path: ${path}\n`).join("");

const run = promisify(execFile);

/** The project's own protos, as a plugin of buf gets them. */
export async function projectFiles(): Promise<DescFile[]> {
  const registry = await build(ROOT, "proto");
  return [...registry.files].filter(({ proto }) => proto.package === "latchkey.v1");
}

/** A file of package `small.v1`, compiled with all that the project's own protos may import. */
export async function compile(body: string): Promise<DescFile> {
  const root = await mkdtemp(join(tmpdir(), "latchkey-proto-"));
  try {
    for (const [to, from] of Object.entries(IMPORTS)) {
      await mkdir(dirname(join(root, to)), { recursive: true });
      await cp(join(ROOT, from), join(root, to), { recursive: true });
    }
    await mkdir(join(root, "small"));
    await writeFile(join(root, "buf.yaml"), `version: v2\nmodules:\n${MODULES}`);
    await writeFile(join(root, "small", "small.proto"), `${HEAD}${body}`);
    const file = (await build(root, "small")).getFile("small.proto");
    if (file === undefined) throw new Error("buf built no small.proto");
    return file;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

const HEAD = `syntax = "proto3";
package small.v1;
import "buf/validate/validate.proto";
import "google/api/annotations.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
import "latchkey/v1/documentation.proto";
import "latchkey/v1/policy.proto";
`;

async function build(cwd: string, input: string): Promise<FileRegistry> {
  const args = ["build", input, "-o", "-", "--as-file-descriptor-set"];
  const { stdout } = await run("buf", args, { cwd, encoding: "buffer", maxBuffer: 64_000_000 });
  return createFileRegistry(fromBinary(FileDescriptorSetSchema, stdout));
}
