import { join } from "node:path";
import { copyTracked, folderOf, type Release, run, withFolder } from "./release.ts";

/** As in .github/workflows/release.yml. */
const BUILD = "build==1.6.1";

/** The wheel and the source of `latchkey-client`. */
export function makePythonPackage(release: Release): void {
  withFolder((folder) => {
    copyTracked(release, "clients/python", join(folder, "package"));
    run("python3", ["-m", "venv", join(folder, "venv")], folder);
    const python = join(folder, "venv/bin/python");
    run(python, ["-m", "pip", "install", "-q", "--disable-pip-version-check", BUILD], folder);
    const outdir = ["--outdir", folderOf(release, "python")];
    run(python, ["-m", "build", ...outdir, "package"], folder, { SOURCE_DATE_EPOCH: String(release.seconds) });
  });
}
