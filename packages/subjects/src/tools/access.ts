import { effectiveRole, roleAtLeast, type Caller, type Log, type Role } from "@steading/kernel";
import type { MethodInfo, PropertyInfo, SubjectInfo } from "../info/subject-info.ts";
import { scopeFit } from "./path-scope.ts";
import { toolError } from "./tool-errors.ts";
import type { AuthorizeRequest, SubjectToolsConfig } from "./tools-config.ts";

/** What one caller may do. Roles and the token decide; the site's own policy can only narrow that. */
export interface Access {
  readonly isReadOnly: boolean;
  /** Mode and role let this caller change things at all. */
  readonly mayAct: boolean;
  hasRole(role: Role): boolean;
  allows(action: AuthorizeRequest["action"], target: AuthorizeRequest["target"]): boolean;
  /** Is this path open to the caller's token, or at least on the way to what is? */
  showsPath(path: string): boolean;
  opensPath(path: string): boolean;
  mayWrite(property: PropertyInfo): boolean;
  /** Whether it may run, and if not, why in a few words. */
  mayInvoke(
    method: MethodInfo,
  ):
    | { readonly ok: true }
    | { readonly ok: false; readonly reason: string; readonly code: "SERVER_READ_ONLY" | "ACCESS_DENIED" };
  requirePath(path: string, what: string): void;
  requireRead(target: SubjectInfo | PropertyInfo, path: string): void;
}

export function createAccess({
  caller,
  config,
  log,
}: {
  caller: Caller;
  config: SubjectToolsConfig;
  log: Log;
}): Access {
  const role = effectiveRole(caller);
  const isReadOnly = config.access === "read";
  const isScoped = caller.scope?.pathPrefixes !== undefined;
  const hasRole = (needed: Role): boolean => roleAtLeast(role, needed);
  const mayAct = !isReadOnly && hasRole("operator");

  function allows(action: AuthorizeRequest["action"], target: AuthorizeRequest["target"]): boolean {
    if (config.authorize === undefined) return true;
    try {
      return config.authorize({ caller, action, target });
    } catch (cause) {
      log.error("The authorize hook threw; the request is refused.", cause, { action });
      return false;
    }
  }

  const opensPath = (path: string): boolean => !isScoped || scopeFit(caller, path) === "inside";

  return {
    isReadOnly,
    mayAct,
    hasRole,
    allows,
    opensPath,
    showsPath: (path) => !isScoped || scopeFit(caller, path) !== "outside",
    mayWrite: (property) => mayAct && property.isWritable && allows("write", property),
    mayInvoke(method) {
      const isQuery = method.kind === "query";
      if (!isQuery && isReadOnly && method.toward !== "safe")
        return { ok: false, code: "SERVER_READ_ONLY", reason: "the server is read-only (setting `access`)" };
      if (!isQuery && !hasRole("operator"))
        return { ok: false, code: "ACCESS_DENIED", reason: "the role operator is needed" };
      if (method.requiresConfirmation === true) {
        if (config.dangerousMethods === "forbid")
          return { ok: false, code: "ACCESS_DENIED", reason: "this server forbids methods that require confirmation" };
        if (!hasRole("admin")) return { ok: false, code: "ACCESS_DENIED", reason: "the role admin is needed" };
      }
      if (!allows("invoke", method))
        return { ok: false, code: "ACCESS_DENIED", reason: "the site's policy does not allow it" };
      return { ok: true };
    },
    requirePath(path, what) {
      if (!opensPath(path)) throw toolError("ACCESS_DENIED", `Your token does not open ${what} at ${path}.`);
    },
    requireRead(target, path) {
      if (!allows("read", target)) throw toolError("ACCESS_DENIED", `You may not read ${path}.`);
    },
  };
}
