import type { Member } from "../../../clients/typescript/src/gen/latchkey/v1/org_pb.ts";

/** How a member is called in sentences: by their address, as far as it is known. */
export function memberLabel({ email, userId }: Pick<Member, "email" | "userId">): string {
  return email || userId;
}
