/** The operator's token of the services that tests start. */
export const OPERATOR_TOKEN = "operator-token-of-the-tests-0123456789";

/** Headers of the operator. */
export const OPERATOR: Record<string, string> = { authorization: `Bearer ${OPERATOR_TOKEN}` };
