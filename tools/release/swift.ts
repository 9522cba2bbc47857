import { join } from "node:path";
import { folderOf, type Release, run, withFolder } from "./release.ts";

/** The Swift package's own repository with its tag, as a bundle that git clones, and the source at that tag. Both are of HEAD. */
export function makeSwiftPackage(release: Release): void {
  const { root, version } = release;
  const file = join(folderOf(release, "swift"), `latchkey-swift-${version}`);
  withFolder((repository) => {
    run("git", ["init", "-q", "--bare", "--initial-branch=main"], repository);
    run("scripts/publish-swift.sh", [repository, version], root);
    run("git", ["bundle", "create", "-q", `${file}.bundle`, "main", version], repository);
    run("git", ["archive", "-o", `${file}.zip`, `--prefix=latchkey-swift-${version}/`, version], repository);
  });
}
