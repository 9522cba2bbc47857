import type { MessageInitShape } from "@bufbuild/protobuf";
import type { PaginationSchema } from "../../gen/latchkey/v1/pagination_pb.ts";
import { type PageRequest, pagination } from "../domain/vocabulary/page.ts";

/** The pagination object of an answer. */
export function toPagination(request: PageRequest, total: number): MessageInitShape<typeof PaginationSchema> {
  const { page, perPage, totalPages } = pagination(request, total);
  return { page, perPage, total, totalPages };
}
