import type { SteadingError } from "@steading/kernel";
import type { InvalidPath, Located, MissingPath } from "../paths/resolution.ts";
import { subjectError } from "../subject-error.ts";

/** The error for a path that leads nowhere, with everything that helps to mend it. */
export function pathError(path: string, found: InvalidPath | MissingPath | Located): SteadingError {
  if (found.kind === "invalid")
    return subjectError("INVALID_PATH", found.message, { details: { path: path.slice(0, 500) } });
  if (found.kind === "missing") {
    const { resolved, missing, suggestions } = found;
    return subjectError("PATH_NOT_FOUND", found.message, { details: { resolved, missing, suggestions } });
  }
  const what = found.kind === "collection" ? "a collection" : `a ${found.kind}`;
  return subjectError(found.kind === "subject" ? "NOT_A_PROPERTY" : "NOT_A_SUBJECT", `${found.path} is ${what}.`);
}
