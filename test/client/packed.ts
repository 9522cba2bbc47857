import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SOURCE = join(ROOT, "clients/typescript");
/** What users install beside it: the client's own dependencies, Node's types for its server entry, and frameworks. */
const NEIGHBOURS = [
  ...["@bufbuild/protobuf", "@connectrpc/connect", "@connectrpc/connect-web", "@types/node"],
  ...["express", "@types/express", "fastify", "hono"],
  ...["react", "react-dom", "@types/react", "@types/react-dom"],
];

export const run = promisify(execFile);

/** The client as users get it: built, packed, and unpacked into the node_modules of a project of theirs. */
export interface PackedClient {
  /** The user's project. */
  readonly project: string;
  /** The installed package in it. */
  readonly directory: string;
  readonly tarball: Uint8Array;
  remove(): Promise<void>;
}

export async function packClient(): Promise<PackedClient> {
  const project = await mkdtemp(join(tmpdir(), "latchkey-client-"));
  const stage = join(project, "stage");
  const modules = join(project, "node_modules");
  const directory = join(modules, "@latchkey/client");
  await mkdir(stage);
  for (const file of ["package.json", "README.md", "LICENSE", "proto"])
    await cp(join(SOURCE, file), join(stage, file), { recursive: true });
  await run(process.execPath, [join(SOURCE, "build.mjs"), join(stage, "dist")]).catch(({ stdout, stderr }) => {
    throw new Error(stdout || stderr);
  });
  // Without scripts: `prepack` would build into the source's own folder.
  await run("npm", ["pack", "--ignore-scripts", "--silent"], { cwd: stage });
  const { version } = JSON.parse(await readFile(join(stage, "package.json"), "utf8"));
  const archive = join(stage, `latchkey-client-${version}.tgz`);
  await mkdir(directory, { recursive: true });
  await run("tar", ["-xzf", archive, "-C", directory, "--strip-components=1"]);
  for (const name of NEIGHBOURS) {
    await mkdir(join(modules, name, ".."), { recursive: true });
    await symlink(join(ROOT, "node_modules", name), join(modules, name));
  }
  const tarball = await readFile(archive);
  return { project, directory, tarball, remove: () => rm(project, { recursive: true, force: true }) };
}

/** Type-checks a file of the user's project, as strictly as they come. Throws with what the compiler says. */
export async function checkTypes({ project }: PackedClient, file: string, more: object = {}): Promise<void> {
  const compilerOptions = {
    noEmit: true,
    allowImportingTsExtensions: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    module: "NodeNext",
    target: "ES2022",
    lib: ["ES2022", "DOM", "DOM.Iterable"],
    jsx: "react-jsx",
    types: ["node"],
    ...more,
  };
  const config = join(project, `${basename(file)}.tsconfig.json`);
  await writeFile(config, JSON.stringify({ compilerOptions, files: [file] }));
  await tsc("-p", config);
}

async function tsc(...args: string[]): Promise<void> {
  await run(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), ...args]).catch(({ stdout }) => {
    throw new Error(stdout);
  });
}
