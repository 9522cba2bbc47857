#!/usr/bin/env node
import { readFileSync, writeFileSync } from "node:fs";
import {
  create,
  createFileRegistry,
  type DescMethod,
  fromBinary,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import {
  type CodeGeneratorRequest,
  CodeGeneratorRequestSchema,
  CodeGeneratorResponse_Feature,
  CodeGeneratorResponseSchema,
  Edition,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import { type Clusters, envoyRoutes } from "../policy/envoy.ts";
import { nginxMap } from "../policy/nginx.ts";
import { proxyRule } from "../policy/proxy-checks.ts";
import { openapiSecurity } from "../policy/security.ts";

/** The plugin of protoc and buf that makes configurations of proxies, and the `security` of OpenAPI, from policies. */
const CLUSTERS: Record<string, keyof Clusters> = { upstream_cluster: "upstream", latchkey_cluster: "latchkey" };

// The synchronous calls on the two file descriptors end with the plugin's input and output.
writeFileSync(1, toBinary(CodeGeneratorResponseSchema, create(CodeGeneratorResponseSchema, respond())));

function respond(): MessageInitShape<typeof CodeGeneratorResponseSchema> {
  const supported = {
    supportedFeatures: BigInt(
      CodeGeneratorResponse_Feature.PROTO3_OPTIONAL | CodeGeneratorResponse_Feature.SUPPORTS_EDITIONS,
    ),
    minimumEdition: Edition.EDITION_PROTO2,
    maximumEdition: Edition.EDITION_2023,
  };
  try {
    const request = fromBinary(CodeGeneratorRequestSchema, readFileSync(0));
    const clusters = clustersIn(request.parameter);
    const methods = methodsOf(request);
    const rules = methods.map(proxyRule);
    const contents = {
      "latchkey.nginx.conf": nginxMap(rules),
      "latchkey.envoy.json": envoyRoutes(rules, clusters, "http"),
      "latchkey.envoy-grpc.json": envoyRoutes(rules, clusters, "grpc"),
      "latchkey.openapi.json": openapiSecurity(methods),
    };
    return { ...supported, file: Object.entries(contents).map(([name, content]) => ({ name, content })) };
  } catch (err) {
    return { ...supported, error: err instanceof Error ? err.message : String(err) };
  }
}

function methodsOf({ fileToGenerate, protoFile }: CodeGeneratorRequest): readonly DescMethod[] {
  const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: protoFile }));
  const names = new Set(fileToGenerate.map((name) => name.replace(/\.proto$/, "")));
  const services = [...registry.files].filter(({ name }) => names.has(name)).flatMap((file) => file.services);
  return services.flatMap(({ methods }) => methods);
}

/** `upstream_cluster=plans,latchkey_cluster=latchkey` */
function clustersIn(parameter: string): Clusters {
  const clusters = { upstream: "upstream", latchkey: "latchkey" };
  for (const option of parameter.split(",").filter((text) => text !== "")) {
    const [name = "", value = ""] = option.split("=", 2);
    const cluster = CLUSTERS[name];
    if (cluster === undefined || value === "")
      throw new TypeError(`the option "${option}" is unknown or empty; use ${Object.keys(CLUSTERS).join("=, ")}=`);
    clusters[cluster] = value;
  }
  return clusters;
}
