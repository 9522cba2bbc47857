import { RequestFault } from "../vocabulary/request-fault.ts";

/**
 * Maximum number of organizations that a user is or was a member of. Each request of a dashboard user reads all of them, those
 * from which the user was removed, too.
 */
export const ORGS_OF_USER_MAX = 1_000;
/** Maximum number of invitations of a tenant that can still be accepted. */
export const OPEN_INVITATIONS_MAX = 1_000;

export function tooManyOrgs(): RequestFault {
  return new RequestFault(
    "too_many_organizations",
    `you are or were a member of ${ORGS_OF_USER_MAX} organizations, the most for a user; use those that you have, or another user`,
  );
}

export function tooManyInvitations(): RequestFault {
  return new RequestFault(
    "too_many_invitations",
    `the tenant has ${OPEN_INVITATIONS_MAX} invitations that can be accepted, the most at a time; revoke one, or wait until one is accepted or expires`,
  );
}
