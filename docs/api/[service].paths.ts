import { referencePages } from "../.vitepress/api-reference.ts";

/** The pages of the API reference, for the site's generator. */
export default {
  paths: () => referencePages().map(({ name, markdown }) => ({ params: { service: name }, content: markdown })),
};
