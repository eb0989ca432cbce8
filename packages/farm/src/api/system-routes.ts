import { effectiveRole, roleAtLeast, type Route } from "@steading/kernel";
import { healthJson, systemInfo } from "../rows/system-info.ts";
import type { ApiDeps } from "./api-deps.ts";
import { farmRoute, ok } from "./farm-route.ts";

export function createSystemRoutes({ core, facts }: ApiDeps): readonly Route[] {
  return [
    farmRoute({
      method: "GET",
      path: "/api/health",
      role: "public",
      summary: "Is the hub up?",
      handle: () => ok(healthJson(facts, core.now())),
    }),
    farmRoute({
      method: "GET",
      path: "/api/system/info",
      role: "viewer",
      summary: "The hub and the machine it runs on",
      handle: (_input, { caller }) =>
        ok(systemInfo(facts, core, { isAdmin: roleAtLeast(effectiveRole(caller), "admin") })),
    }),
  ];
}
