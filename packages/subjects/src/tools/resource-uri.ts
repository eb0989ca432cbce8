const PREFIX = "steading://";

/** `steading://` and the printed path. Spaces and other signs that a URI cannot hold are percent-encoded. */
export function uriOf(path: string): string {
  return PREFIX + path.replace(/[^\u0021-\u007e]+/gu, (text) => encodeURIComponent(text.toWellFormed()));
}

/**
 * The paths that a URI may mean, likeliest first. The path grammar itself reads `%XX`, so the URI's own encoding needs
 * no second reading; only a host that filled the template in encodes the slashes as well.
 */
export function pathsOf(uri: string): readonly string[] {
  if (!uri.startsWith(PREFIX)) return [];
  const path = uri.slice(PREFIX.length);
  if (!/%2f/i.test(path)) return [path];
  return [path, path.replace(/%2f/gi, "/")];
}
