/** What `npm run dev` keeps, in the folder that it is run in. */
export const DEV_DIR = ".latchkey/dev";
