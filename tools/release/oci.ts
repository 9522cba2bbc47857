import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

/** What an image says about a blob of its own. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

export interface Layer {
  readonly blob: Descriptor;
  /** The digest of its archive, which is not compressed. */
  readonly diffId: string;
}

export interface Platform {
  readonly os: "linux";
  readonly architecture: string;
}

const TYPE = "application/vnd.oci.image";

/** A folder as the OCI image layout describes it: `skopeo copy oci:<folder>:<tag>` pushes what is in it. */
export class Layout {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(join(folder, "blobs/sha256"), { recursive: true });
    writeFileSync(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  }

  addLayer(tar: Buffer): Layer {
    return { blob: this.#add(`${TYPE}.layer.v1.tar+gzip`, gzipSync(tar)), diffId: digestOf(tar) };
  }

  /** An image of one platform. `config` is what a container of it runs. */
  addImage(
    platform: Platform,
    config: object,
    created: string,
    layers: readonly Layer[],
  ): Descriptor & { platform: Platform } {
    const rootfs = { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) };
    const manifest = {
      schemaVersion: 2,
      mediaType: `${TYPE}.manifest.v1+json`,
      config: this.#addJson(`${TYPE}.config.v1+json`, { created, ...platform, config, rootfs }),
      layers: layers.map(({ blob }) => blob),
    };
    return { ...this.#addJson(manifest.mediaType, manifest), platform };
  }

  /** Gives the images of all platforms one tag. */
  tag(name: string, manifests: readonly Descriptor[], annotations: Readonly<Record<string, string>>): void {
    const index = { schemaVersion: 2, mediaType: `${TYPE}.index.v1+json` };
    const all = this.#addJson(index.mediaType, { ...index, manifests, annotations });
    const named = { ...all, annotations: { "org.opencontainers.image.ref.name": name } };
    writeFileSync(join(this.#folder, "index.json"), JSON.stringify({ ...index, manifests: [named] }));
  }

  #addJson(mediaType: string, content: object): Descriptor {
    return this.#add(mediaType, Buffer.from(JSON.stringify(content)));
  }

  #add(mediaType: string, content: Buffer): Descriptor {
    const digest = digestOf(content);
    writeFileSync(join(this.#folder, "blobs", digest.replace(":", "/")), content);
    return { mediaType, digest, size: content.length };
  }
}

function digestOf(content: Buffer): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}
