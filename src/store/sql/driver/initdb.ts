import { MemoryFS, PGlite } from "@electric-sql/pglite";

type Init = MemoryFS["init"];

/**
 * The folder that initdb fills. PGlite has initdb write into memory, packs its files into an archive and unpacks that into the
 * folder, unless the file system extends `MemoryFS`: then initdb writes into that. This one does and is on the disk, which
 * saves the archive and its copies, 150 MB.
 */
class ClusterFolder extends MemoryFS {
  readonly #folder: string;

  constructor(folder: string) {
    super();
    this.#folder = folder;
  }

  override async init(...[pglite, options]: Parameters<Init>): ReturnType<Init> {
    this.pg = pglite;
    const mount = ({ FS, NODEFS }: PGlite["Module"]): void => {
      FS.mkdirTree(PGlite.paths.PGDATA);
      FS.mount(NODEFS, { root: this.#folder }, PGlite.paths.PGDATA);
    };
    return { emscriptenOpts: { ...options, preRun: [...(options.preRun ?? []), mount] } };
  }

  /** PGlite calls this as soon as initdb has ended, before it opens the database, which needs 100 MB more. */
  override async syncToFs(): Promise<void> {
    process.exit(0);
  }
}

/** A process of its own, which `newCluster` starts: makes a PostgreSQL cluster in the folder of its argument, and ends. */
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("initdb needs the folder for its cluster");
await new PGlite({ fs: new ClusterFolder(folder) }).waitReady;
