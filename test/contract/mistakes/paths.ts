import { CREATE, LIST, type Mistake } from "./mistake.ts";

/** Mistakes with paths, methods and content types. */
export const PATH_MISTAKES: readonly Mistake[] = [
  {
    mistake: "apikeys without the hyphen",
    path: "/api/v1/apikeys/create",
    answer: "404 not_found",
    says: "No such path; did you mean /api/v1/api-keys/create? Paths are compared as they are.",
  },
  {
    mistake: "no /api/v1",
    path: "/api-keys/create",
    answer: "404 not_found",
    says: "No such path; did you mean /api/v1/api-keys/create? Paths are compared as they are.",
  },
  {
    mistake: "neither, nor the hyphen",
    path: "/apikeys/create",
    answer: "404 not_found",
    says: "No such path; did you mean /api/v1/api-keys/create? Paths are compared as they are.",
  },
  {
    mistake: "another version",
    path: "/v2/api-keys/create",
    answer: "404 not_found",
    says: "No such path; did you mean /api/v1/api-keys/create? Paths are compared as they are.",
  },
  {
    mistake: "a slash at the end",
    path: "/api/v1/api-keys/create/",
    answer: "404 not_found",
    says: "No such path; did you mean /api/v1/api-keys/create? Paths are compared as they are.",
  },
  {
    mistake: "two slashes where base URL and path meet",
    path: "//api/v1/api-keys/create",
    answer: "404 not_found",
    says: "No such path; did you mean /api/v1/api-keys/create? Paths are compared as they are.",
  },
  {
    mistake: "the method's name in camelCase",
    path: "/api/v1/llm/gateway/listThreads",
    answer: "404 not_found",
    says: "No such path; did you mean /api/v1/llm/gateway/list-threads? Paths are compared as they are.",
  },
  {
    mistake: "nothing but the method's name",
    path: "/listThreads",
    answer: "404 not_found",
    says: "No such path; did you mean /api/v1/llm/gateway/list-threads? Paths are compared as they are.",
  },
  {
    mistake: "a slip in a word",
    path: "/api/v1/api-keys/crete",
    answer: "404 not_found",
    says: "No such path; did you mean /api/v1/api-keys/create? Paths are compared as they are.",
  },
  {
    mistake: "the prefix of a proxy that should have removed it",
    path: "/latchkey/api/v1/api-keys/list",
    answer: "404 not_found",
    says: "No such path; did you mean /api/v1/api-keys/list? Paths are compared as they are.",
  },
  {
    mistake: "an operation of another name",
    path: "/api/v1/api-keys/delete",
    answer: "404 not_found",
    says: "No such path; the nearest are /api/v1/api-keys/create, /api/v1/api-keys/list, /api/v1/api-keys/get, /api/v1/api-keys/update, /api/v1/api-keys/revoke, /api/v1/api-keys/disable, /api/v1/api-keys/enable, /api/v1/api-keys/usage, /api/v1/api-keys/rotate, /api/v1/api-keys/import, /api/v1/api-keys/check-oidc, /api/v1/api-keys/report-leak; GET /openapi.json has all operations.",
  },
  {
    mistake: "a resource as in REST",
    method: "DELETE",
    path: "/api/v1/api-keys/key_1",
    answer: "404 not_found",
    says: "No such path; the nearest are /api/v1/api-keys/create, /api/v1/api-keys/list, /api/v1/api-keys/get, /api/v1/api-keys/update, /api/v1/api-keys/revoke, /api/v1/api-keys/disable, /api/v1/api-keys/enable, /api/v1/api-keys/usage, /api/v1/api-keys/rotate, /api/v1/api-keys/import, /api/v1/api-keys/check-oidc, /api/v1/api-keys/report-leak; GET /openapi.json has all operations.",
  },
  {
    mistake: "the procedure in small letters",
    path: "/latchkey.v1.apikeyservice/createapikey",
    answer: "404 unimplemented",
    says: "No such path; did you mean /latchkey.v1.ApiKeyService/CreateApiKey? Paths are compared as they are.",
  },
  {
    mistake: "the service in the plural",
    path: "/latchkey.v1.ApiKeysService/CreateApiKey",
    answer: "404 unimplemented",
    says: "No such path; did you mean /latchkey.v1.ApiKeyService/CreateApiKey? Paths are compared as they are.",
  },
  {
    mistake: "an RPC of another service",
    path: "/acme.billing.v1.InvoiceService/Pay",
    answer: "404 unimplemented",
    says: "No such RPC. GET /openapi.json has all operations.",
  },
  {
    mistake: "a path like none",
    path: "/graphql",
    answer: "404 not_found",
    says: "No such path. Every operation is a POST to a path such as /api/v1/api-keys/create; GET /openapi.json has them all.",
  },
  {
    mistake: "a GET",
    method: "GET",
    path: LIST,
    answer: "405 unimplemented",
    says: "Use POST: every operation is a POST with a JSON body.",
  },
  {
    mistake: "curl -d without a header",
    path: CREATE,
    headers: ({ dashboardToken }) => ({
      authorization: `Bearer ${dashboardToken()}`,
      "content-type": "application/x-www-form-urlencoded",
    }),
    answer: "415 invalid_argument",
    says: "Content-Type: is application/x-www-form-urlencoded, as curl -d sends by default; send Content-Type: application/json and the body as JSON.",
  },
  {
    mistake: "fetch without a header",
    path: CREATE,
    headers: ({ dashboardToken }) => ({
      authorization: `Bearer ${dashboardToken()}`,
      "content-type": "text/plain;charset=UTF-8",
    }),
    answer: "415 invalid_argument",
    says: "Content-Type: is text/plain, as fetch sends a text by default; send Content-Type: application/json.",
  },
  {
    mistake: "no content type",
    path: CREATE,
    headers: ({ dashboardToken }) => ({ authorization: `Bearer ${dashboardToken()}`, "content-type": "" }),
    answer: "415 invalid_argument",
    says: "Content-Type: is absent; send Content-Type: application/json.",
  },
  {
    mistake: "another charset",
    path: CREATE,
    headers: ({ dashboardToken }) => ({
      authorization: `Bearer ${dashboardToken()}`,
      "content-type": "application/json; charset=iso-8859-1",
    }),
    answer: "415 invalid_argument",
    says: "Content-Type: names another charset than utf-8; send Content-Type: application/json and the body in UTF-8.",
  },
];
