import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { billOfService } from "./bill.ts";
import { environmentOf, parseDockerfile, settingOf } from "./dockerfile.ts";
import { type Layer, Layout } from "./oci.ts";
import { folderOf, type Release, run, tarOf, withFolder } from "./release.ts";
import { buildOf } from "./service-package.ts";

/** Without Docker, of what package registries have: Debian's packages, npm's package of Node, and the build. */
const DEBIAN = "bookworm";
/** Node's libraries, a shell, and what starts `latchkey`. */
const PACKAGES = ["base-files", "coreutils", "dash", "libc6", "libstdc++6"];
/** As Node and npm's packages of it call the platforms, and Debian and OCI. */
const PLATFORMS = { x64: "amd64", arm64: "arm64" } as const;
/** Scanners read the list of packages in /var/lib/dpkg. The service writes only to its volume. */
const UNUSED = ["usr/share/man", "usr/share/info", "usr/share/locale", "var/cache", "var/lib/apt", "var/log"];
const USER_ID = 1_000;
const PASSWD = `root:x:0:0:root:/root:/bin/sh\nnode:x:${USER_ID}:${USER_ID}::/nonexistent:/bin/sh\n`;
const GROUP = `root:x:0:\nnode:x:${USER_ID}:\n`;
const PGLITE = "node_modules/@electric-sql/pglite";

/** The image of the Dockerfile for both platforms, which differ in Debian's packages and Node. */
export function makeImage(release: Release): void {
  const { root, version, seconds } = release;
  const created = new Date(seconds * 1_000).toISOString();
  const layout = new Layout(folderOf(release, "image"));
  const service = [layout.addLayer(serviceTar(release)), layout.addLayer(volumeTar(release))];
  const config = configOf(readFileSync(join(root, "Dockerfile"), "utf8"));
  const images = Object.entries(PLATFORMS).map(([platform, architecture]) => {
    const base: Layer[] = [debianTar(release, architecture), nodeTar(release, platform)].map((tar) =>
      layout.addLayer(tar),
    );
    return layout.addImage({ os: "linux", architecture }, config, created, [...base, ...service]);
  });
  layout.tag(version, images, {
    "org.opencontainers.image.version": version,
    "org.opencontainers.image.licenses": "Apache-2.0",
    "org.opencontainers.image.created": created,
  });
}

/** What a container runs, as the Dockerfile says. */
function configOf(dockerfile: string): object {
  const stages = parseDockerfile(dockerfile);
  const setting = (name: string) => settingOf(stages, name);
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", ...environmentOf(stages, stages.at(-1)) };
  return {
    User: setting("USER"),
    WorkingDir: setting("WORKDIR"),
    Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    Cmd: JSON.parse(setting("CMD")),
    ExposedPorts: { [`${setting("EXPOSE")}/tcp`]: {} },
    Volumes: { [setting("VOLUME")]: {} },
    StopSignal: setting("STOPSIGNAL"),
  };
}

/** Packages are unpacked and none of their scripts runs, so another platform's need no emulator. */
function debianTar(release: Release, architecture: string): Buffer {
  return withFolder((folder) => {
    const base = join(folder, "base");
    const what = ["--variant=extract", `--architectures=${architecture}`, `--include=${PACKAGES.join(",")}`];
    run("mmdebstrap", ["--quiet", "--format=directory", ...what, DEBIAN, base], folder);
    for (const path of UNUSED) rmSync(join(base, path), { recursive: true, force: true });
    // Every user may write to /tmp.
    return tarOf(release, base, readdirSync(base).sort(), { mode: "u+r" });
  });
}

/** Of the version that the project runs on. */
function nodeTar(release: Release, platform: string): Buffer {
  const { dependencies } = JSON.parse(readFileSync(join(release.root, "package.json"), "utf8"));
  return withFolder((folder) => {
    const archive = run("npm", ["pack", "--silent", `node-linux-${platform}@${dependencies.node}`], folder).trim();
    run("tar", ["-xzf", archive], folder);
    copy(join(folder, "package/bin/node"), join(folder, "root/usr/local/bin/node"));
    copy(join(folder, "package/LICENSE"), join(folder, "root/usr/local/share/doc/node/LICENSE"));
    return tarOf(release, join(folder, "root"), ["usr"]);
  });
}

/** The service, with the one package that its build leaves out. */
function serviceTar(release: Release): Buffer {
  const { root } = release;
  const build = buildOf(root);
  return withFolder((folder) => {
    const app = join(folder, "app");
    for (const path of ["package.json", "LICENSE", PGLITE, join("dist", build)])
      copy(join(root, path), join(app, path));
    for (const name of ["main.js", "migrate.js", "latchkey.js"])
      copy(join(root, "dist", name), join(app, "dist", name));
    writeFileSync(join(app, "sbom.cdx.json"), billOfService(root));
    mkdirSync(join(folder, "etc"));
    writeFileSync(join(folder, "etc/passwd"), PASSWD);
    writeFileSync(join(folder, "etc/group"), GROUP);
    mkdirSync(join(folder, "usr/local/bin"), { recursive: true });
    symlinkSync("/app/dist/latchkey.js", join(folder, "usr/local/bin/latchkey"));
    return tarOf(release, folder, ["app", "etc", "usr"]);
  });
}

/** The volume is the user's own. */
function volumeTar(release: Release): Buffer {
  return withFolder((folder) => {
    mkdirSync(join(folder, "data"), { mode: 0o700 });
    return tarOf(release, folder, ["data"], { owner: USER_ID });
  });
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true });
}
