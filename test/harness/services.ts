import { readdir } from "node:fs/promises";
import type { DescFile, DescService } from "@bufbuild/protobuf";

const GENERATED = new URL("../../gen/latchkey/v1/", import.meta.url);

const names = (await readdir(GENERATED)).filter((name) => name.endsWith("_service_pb.ts") && isOfApi(name)).toSorted();
const modules = await Promise.all(names.map((name): Promise<object> => import(new URL(name, GENERATED).href)));

/** All services of the API, so that a new one need not be listed. */
export const SERVICES: readonly DescService[] = modules
  .flatMap((exported) => Object.values(exported))
  .filter((value: { kind?: string }): value is DescFile => value.kind === "file")
  .flatMap((file) => file.services);

/** Whether a generated file is of the API. The protocol of edges is not: it has no policies, and clients are not generated for it. */
export function isOfApi(name: string): boolean {
  return name !== "edge_service_pb.ts";
}
