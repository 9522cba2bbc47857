import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { copyTracked, folderOf, type Release, run, withFolder } from "./release.ts";

/** The module, and the one in it. */
const MODULES = ["clients/go", "clients/go/grpcguard"];

/** What a proxy serves of the Go modules, as files: `GOPROXY=file://.../go` installs from them. */
export function makeGoModules(release: Release): void {
  const proxy = folderOf(release, "go");
  const time = new Date(release.seconds * 1_000).toISOString();
  for (const module of MODULES) {
    withFolder((folder) => {
      copyTracked(release, module, folder);
      // As the go command does for a module in a folder without one.
      if (!existsSync(join(folder, "LICENSE"))) cpSync(join(release.root, "LICENSE"), join(folder, "LICENSE"));
      const program = join(release.root, "tools/release/go-zip");
      run("go", ["run", ".", folder, `v${release.version}`, time, proxy], program);
    });
  }
}
