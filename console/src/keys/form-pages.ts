/** The pages with a key's form, in one file: the frame, which is loaded first, names it once. */
export { EditKeyPage } from "./edit-key-page.tsx";
export { NewKeyPage } from "./new-key-page.tsx";
