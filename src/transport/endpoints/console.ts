import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join, posix, sep } from "node:path";
import { acceptsCoding } from "../request/accept-encoding.ts";
import { pathOf } from "../request/incoming-call.ts";
import type { PageHandler } from "./endpoint.ts";
import { type Page, page, pageAnswer } from "./page.ts";

/** Where the console is served, and what is below it. */
export const CONSOLE_PATH = "/console";

export interface ConsoleContext {
  /** The built pages: index.html, and assets whose names change with their content. Each file may be there compressed, too. */
  readonly folder: string;
  /** What the pages need to know, as JSON, and the origins that they may call besides their own. */
  readonly settings: () => Promise<ConsoleSettings>;
}

export interface ConsoleSettings {
  readonly json: unknown;
  readonly origins: readonly string[];
}

/**
 * The part of the console on a port: pages of a tenant's people, of operators, or both. Pages whose RPCs are on the other port
 * could not load anything (ADR 54).
 */
export type ConsoleArea = "all" | "tenant" | "operator";

export interface ConsolePorts {
  readonly main: ConsolePages;
  /** Where operators have a port of their own. */
  readonly admin?: ConsolePages;
}

export interface ConsolePages {
  /** Whether there is a page or file below the console's path, by what follows its slash. */
  has(name: string): boolean;
  readonly answer: PageHandler;
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};
/** As file names end, the preferred first. */
const ENCODINGS = [
  { name: "br", suffix: ".br" },
  { name: "gzip", suffix: ".gz" },
];
const UNCHANGING = { "cache-control": "public, max-age=31536000, immutable" };

/**
 * `/console` and the paths below it that are not files: the one HTML page, which finds out itself what to show.
 * `/console/assets/...`: its scripts and styles. `/console/config.json`: the settings. GET only, and public: data comes
 * from the API, with the user's token.
 */
export function createConsole({ folder, settings }: ConsoleContext): ConsolePages {
  const files = new Set(
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll(sep, posix.sep)),
  );
  const cached = new Map<string, Page>();

  async function load(name: string, suffix: string, headers: Readonly<Record<string, string>>): Promise<Page> {
    const known = cached.get(name + suffix);
    if (known !== undefined) return known;
    const type = TYPES[extname(name)] ?? "application/octet-stream";
    const loaded = page(type, await readFile(join(folder, name + suffix)), headers);
    cached.set(name + suffix, loaded);
    return loaded;
  }

  /** The file in the best encoding that the request accepts. */
  async function loadFor(name: string, acceptEncoding: string | undefined, caching: Record<string, string>) {
    const encoding = ENCODINGS.find(
      ({ name: coding, suffix }) => files.has(name + suffix) && acceptsCoding(coding, acceptEncoding),
    );
    const headers = { ...caching, vary: "Accept-Encoding", ...(encoding && { "content-encoding": encoding.name }) };
    return load(name, encoding?.suffix ?? "", headers);
  }

  const html: PageHandler = async ({ headers }) => {
    const { origins } = await settings();
    const loaded = await loadFor("index.html", headers["accept-encoding"], {});
    return pageAnswer({ ...loaded, headers: { ...loaded.headers, ...protection(origins) } }, headers["if-none-match"]);
  };
  const config: PageHandler = async ({ headers }) => {
    const { json } = await settings();
    return pageAnswer(page("application/json", JSON.stringify(json)), headers["if-none-match"]);
  };

  const isAsset = (name: string): boolean => name.startsWith("assets/");

  return {
    has: (name) => !isAsset(name) || (files.has(name) && extname(name) !== ""),
    async answer(req) {
      const name = pathOf(req).slice(CONSOLE_PATH.length + 1);
      if (name === "config.json") return config(req);
      if (!isAsset(name)) return html(req);
      const { headers } = req;
      return pageAnswer(await loadFor(name, headers["accept-encoding"], UNCHANGING), headers["if-none-match"]);
    },
  };
}

/** Nothing inline, nothing of other origins, in no frame; calls go only to the service and to the identity provider. */
function protection(origins: readonly string[]): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src ${["'self'", ...origins].join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    "content-security-policy": policy.join("; "),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "referrer-policy": "no-referrer",
  };
}
