import { readFileSync } from "node:fs";
import { SteadingError } from "@steading/kernel";

/** The certificate and key of a listener. A file that cannot be read is told by name, with the setting that names it. */
export function readTls(
  { cert, key }: { readonly cert: string; readonly key: string },
  setting: string,
): { readonly cert: string; readonly key: string } {
  return { cert: read(cert, `${setting}.cert`), key: read(key, `${setting}.key`) };
}

function read(file: string, setting: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new SteadingError("SETTINGS_UNREADABLE", `The file ${file} cannot be read.`, {
      hint: `${setting} names it; check the path and who may read it.`,
      cause,
    });
  }
}
