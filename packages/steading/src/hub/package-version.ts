import { readFileSync } from "node:fs";

/** The version in our own manifest; the file is two folders up from the source and from the build alike. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  if (typeof manifest === "object" && manifest !== null && "version" in manifest) return String(manifest.version);
  return "unknown";
}
