/** A dashboard user, as their identity provider names them. Two providers may use one id for two users. */
export interface UserKey {
  readonly issuer: string;
  readonly userId: string;
}
