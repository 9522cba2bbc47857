import { join } from "node:path";
import { copyTracked, folderOf, type Release, run, withFolder } from "./release.ts";
import { writeServicePackage } from "./service-package.ts";

/** The service and its command, `latchkey`. */
export function makeServicePackage(release: Release): void {
  withFolder((folder) => {
    writeServicePackage(release.root, folder);
    pack(release, folder);
  });
}

/** `@latchkey/client`, without the build's own folder in the checkout. */
export function makeClientPackage(release: Release): void {
  withFolder((folder) => {
    copyTracked(release, "clients/typescript", folder);
    run(process.execPath, [join(release.root, "clients/typescript/build.mjs"), join(folder, "dist")], release.root);
    pack(release, folder);
  });
}

function pack(release: Release, folder: string): void {
  // No scripts: `prepack` would build again.
  run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folderOf(release, "npm")], folder);
}
