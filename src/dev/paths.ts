/** The files of `npm run dev`, in the folder that it is run in. */
export const DEV_DIR = ".latchkey/dev";
