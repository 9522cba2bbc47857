import { setImmediate as nextTurn } from "node:timers/promises";
import { type DescExtension, type DescFile, type DescService, toBinary } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { ServerReflection, ServerReflectionRequest } from "../../../gen/grpc/reflection/v1/reflection_pb.ts";
import type {
  ServerReflectionRequest as ServerReflectionRequestV1Alpha,
  ServerReflection as ServerReflectionV1Alpha,
} from "../../../gen/grpc/reflection/v1alpha/reflection_pb.ts";

/** Maximum questions of one stream. Clients ask a few dozen: one for the services, and one for each file. */
const QUESTIONS_MAX = 1_000;

type Request = ServerReflectionRequest | ServerReflectionRequestV1Alpha;
type Question = Request["messageRequest"];
type Reply =
  | { case: "listServicesResponse"; value: { service: { name: string }[] } }
  | { case: "fileDescriptorResponse"; value: { fileDescriptorProto: Uint8Array[] } }
  | { case: "allExtensionNumbersResponse"; value: { baseTypeName: string; extensionNumber: number[] } }
  | { case: "errorResponse"; value: { errorCode: Code; errorMessage: string } };
interface Response<R extends Request> {
  validHost: string;
  originalRequest: R;
  messageResponse: Reply;
}

/** gRPC server reflection, so that `buf curl` and grpcurl need no schema. The two versions differ only in their names. */
export interface ReflectionServices {
  readonly v1: ServiceImpl<typeof ServerReflection>;
  readonly v1alpha: ServiceImpl<typeof ServerReflectionV1Alpha>;
}

/**
 * Describes the given services, and `files` that none of them imports, such as the details of errors. The schema is public,
 * so no credentials are needed.
 */
export function createReflectionServices(
  services: readonly DescService[],
  files: readonly DescFile[],
): ReflectionServices {
  const schema = indexSchema([...services.map(({ file }) => file), ...files]);

  async function* serverReflectionInfo<R extends Request>(requests: AsyncIterable<R>): AsyncGenerator<Response<R>> {
    const sent = new Set<DescFile>();
    let questions = 0;
    for await (const originalRequest of requests) {
      if (++questions > QUESTIONS_MAX) {
        const message = `a stream has at most ${QUESTIONS_MAX} questions; ask the rest in another one`;
        throw new ConnectError(message, Code.ResourceExhausted);
      }
      const { host, messageRequest } = originalRequest;
      yield { validHost: host, originalRequest, messageResponse: reply(messageRequest, sent) };
      // Questions need no credentials. A batch of them must not block other requests.
      await nextTurn();
    }
  }

  function reply(question: Question, sent: Set<DescFile>): Reply {
    switch (question.case) {
      case "listServices":
        return {
          case: "listServicesResponse",
          value: { service: services.map(({ typeName }) => ({ name: typeName })) },
        };
      case "fileByFilename":
        return fileReply(schema.files.get(question.value), question.value, sent);
      case "fileContainingSymbol":
        return fileReply(schema.symbols.get(question.value), question.value, sent);
      case "fileContainingExtension": {
        const { containingType, extensionNumber } = question.value;
        const extension = schema.extensions.get(containingType)?.find(({ number }) => number === extensionNumber);
        return fileReply(extension?.file, `extension ${extensionNumber} of ${containingType}`, sent);
      }
      case "allExtensionNumbersOfType": {
        const extensions = schema.extensions.get(question.value) ?? [];
        if (extensions.length === 0 && !schema.symbols.has(question.value)) return notFound(question.value);
        return {
          case: "allExtensionNumbersResponse",
          value: { baseTypeName: question.value, extensionNumber: extensions.map(({ number }) => number) },
        };
      }
      case undefined:
        return error(Code.InvalidArgument, "message_request: is required");
      default:
        return question satisfies never;
    }
  }

  return { v1: { serverReflectionInfo }, v1alpha: { serverReflectionInfo } };
}

interface SchemaIndex {
  readonly files: ReadonlyMap<string, DescFile>;
  /** By full name: services and their methods, messages, enums and extensions. */
  readonly symbols: ReadonlyMap<string, DescFile>;
  /** By the full name of the message they extend. */
  readonly extensions: ReadonlyMap<string, readonly DescExtension[]>;
}

function indexSchema(roots: readonly DescFile[]): SchemaIndex {
  const files = new Map(roots.flatMap(withImports).map((file) => [file.proto.name, file]));
  const symbols = new Map<string, DescFile>();
  const extensions = new Map<string, DescExtension[]>();
  for (const file of files.values()) {
    for (const type of nestedTypes(file)) {
      symbols.set(type.typeName, file);
      if (type.kind === "service") for (const { name } of type.methods) symbols.set(`${type.typeName}.${name}`, file);
      if (type.kind === "extension") {
        const { typeName } = type.extendee;
        extensions.set(typeName, [...(extensions.get(typeName) ?? []), type]);
      }
    }
  }
  return { files, symbols, extensions };
}

/** A file with all its imports, the imports first. */
const withImports = onceForEach((file): readonly DescFile[] => [
  ...new Set([...file.dependencies.flatMap((each) => withImports(each)), file]),
]);

const descriptorOf = onceForEach(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));

/** Caches the result of `make` for each file. The cache stays small: the files are those of the schema. */
function onceForEach<T>(make: (file: DescFile) => T): (file: DescFile) => T {
  const made = new Map<DescFile, T>();
  return (file) => {
    const known = made.get(file);
    if (known !== undefined) return known;
    const value = make(file);
    made.set(file, value);
    return value;
  };
}

/** Returns a file with its imports, which a client would request next. Each import is sent once per stream. */
function fileReply(file: DescFile | undefined, asked: string, sent: Set<DescFile>): Reply {
  if (file === undefined) return notFound(asked);
  const unsent = withImports(file).filter((each) => each === file || !sent.has(each));
  for (const each of unsent) sent.add(each);
  // The requested file goes first: some clients read only the first one.
  const fileDescriptorProto = unsent.reverse().map(descriptorOf);
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
}

function notFound(asked: string): Reply {
  return error(Code.NotFound, `not found: ${asked}`);
}

function error(errorCode: Code, errorMessage: string): Reply {
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}
