import type { MessageInitShape } from "@bufbuild/protobuf";
import type { PaginationSchema } from "../../gen/latchkey/v1/pagination_pb.ts";
import { nextPageToken, type PageRequest, pagination } from "../domain/vocabulary/page.ts";

/** The page's part of an answer. */
export interface Place {
  readonly pagination: MessageInitShape<typeof PaginationSchema>;
  readonly nextPageToken: string;
}

export function toPlace(request: PageRequest, total: number): Place {
  const { page, perPage, totalPages } = pagination(request, total);
  return { pagination: { page, perPage, total, totalPages }, nextPageToken: nextPageToken(request, total) };
}
