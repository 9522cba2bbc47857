import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { copyTracked, folderOf, type Release, tarOf, withFolder } from "./release.ts";

/** What `helm package` makes: the chart's folder, with files in place of links. */
export function makeChart(release: Release): void {
  withFolder((folder) => {
    copyTracked(release, "deploy/helm/latchkey", join(folder, "latchkey"));
    const file = join(folderOf(release, "chart"), `latchkey-${release.version}.tgz`);
    writeFileSync(file, gzipSync(tarOf(release, folder, ["latchkey"])));
  });
}
