/** The list of keys and the page of one, in one file: the frame, which is loaded first, names it once. */
export { KeyPage } from "./key-page.tsx";
export { KeysPage } from "./keys-page.tsx";
