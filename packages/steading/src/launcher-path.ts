import { fileURLToPath } from "node:url";

/** Absolute, because `steading` is on nobody's path in a checkout. The same folder up in source and build. */
export const LAUNCHER = fileURLToPath(new URL("../bin/steading.js", import.meta.url));
