import { parsePath } from "../paths/path-text.ts";
import type { Located, MissingPath, Resolution } from "../paths/resolution.ts";
import { MAX_PATH_CHARS } from "./tool-limits.ts";
import { toolError } from "./tool-errors.ts";
import type { World } from "./tool-world.ts";

type OfKind<K extends Located["kind"]> = Extract<Located, { readonly kind: K }>;

/** Longer texts of the caller's own come back shortened: an error must not be as large as the mistake. */
const MAX_ECHO_CHARS = 1_000;

/** Whatever the path leads to, if this caller may know of it. */
export function locateAny(world: World, path: string): Located {
  return requireFound(world, resolve(world, path));
}

function resolve(world: World, path: string): Resolution {
  if (path.length > MAX_PATH_CHARS)
    throw toolError("INVALID_PATH", `The path has ${path.length} characters; at most ${MAX_PATH_CHARS} are read.`);
  return world.view.locate(path, world.provider);
}

function requireFound(world: World, found: Resolution): Located {
  if (found.kind === "invalid") throw toolError("INVALID_PATH", echo(found.message));
  if (found.kind === "missing") throw notFound(world, found);
  // Whatever the path provider says, a secret is not there.
  if (found.kind === "property" && found.property.facets.secret === true)
    throw nothingAt(found.path, found.subject.path ?? "/", found.property.name);
  if (found.kind !== "method" || world.metadata.methods(found.subject).has(found.method.name)) return found;
  throw nothingAt(found.path, found.subject.path ?? "/", found.method.name);
}

function nothingAt(path: string, resolved: string, missing: string): Error {
  return toolError("PATH_NOT_FOUND", `Nothing is at ${echo(path)}.`, {
    details: { resolved, missing, suggestions: [] },
  });
}

function notFound(world: World, { message, resolved, missing, suggestions }: MissingPath): Error {
  if (!world.access.showsPath(resolved))
    return toolError("ACCESS_DENIED", `Your token does not open ${echo(resolved)}.`);
  // Near names must not tell a narrow token what lies beside its part.
  const shown = world.access.opensPath(resolved) ? suggestions.slice(0, 5) : [];
  return toolError("PATH_NOT_FOUND", echo(message), {
    details: { resolved, missing: echo(missing), suggestions: shown },
  });
}

function echo(text: string): string {
  return text.length > MAX_ECHO_CHARS ? `${text.slice(0, MAX_ECHO_CHARS)}…` : text;
}

/** A subject or bare collection to start a listing from. */
export function locateStart(world: World, path: string): OfKind<"subject"> | OfKind<"collection"> {
  const found = locateAny(world, path);
  if (found.kind === "property" || found.kind === "method")
    throw toolError(
      "NOT_A_SUBJECT",
      `${found.path} is a ${found.kind}, not a subject${found.kind === "property" ? "; use get_property to read it" : ""}.`,
    );
  if (!world.access.showsPath(found.path)) throw toolError("ACCESS_DENIED", `Your token does not open ${found.path}.`);
  world.access.requireRead(found.subject, found.path);
  return found;
}

export function locateSubject(world: World, path: string): OfKind<"subject"> {
  const found = locateStart(world, path);
  if (found.kind === "collection")
    throw toolError(
      "NOT_A_SUBJECT",
      `${found.path} is a collection; name one of its subjects, such as ${found.path}[…].`,
    );
  world.access.requirePath(found.path, "the subject");
  return found;
}

export function locateProperty(world: World, path: string): OfKind<"property"> {
  const resolution = resolve(world, path);
  if (resolution.kind === "missing") refuseWhatIsThere(world, path, resolution);
  const found = requireFound(world, resolution);
  world.access.requirePath(found.path, found.kind === "property" ? "the property" : "what is");
  if (found.kind === "property") return found;
  const what = {
    subject: "is a subject; use query to look at it",
    collection: "is a collection of subjects; use query to look at it",
    method: "is a method; use invoke_method to run it",
  }[found.kind];
  throw toolError("NOT_A_PROPERTY", `${echo(found.path)} ${what}.`);
}

/** A method that only a metadata provider knows, and an empty reference, are there, though neither is a property. */
function refuseWhatIsThere(world: World, path: string, { resolved, missing, empty }: MissingPath): void {
  if (stepCount(path) !== stepCount(resolved) + 1 || !world.access.opensPath(resolved)) return;
  if (empty !== undefined)
    throw toolError("NOT_A_PROPERTY", `${echo(path)} holds a subject, and none is there at present.`);
  const owner = world.view.locate(resolved, world.provider);
  if (owner.kind === "subject" && world.metadata.methods(owner.subject).has(missing))
    throw toolError("NOT_A_PROPERTY", `${echo(path)} is a method; use invoke_method to run it.`);
}

function stepCount(path: string): number {
  const parsed = parsePath(path);
  return "steps" in parsed ? parsed.steps.length : 0;
}
