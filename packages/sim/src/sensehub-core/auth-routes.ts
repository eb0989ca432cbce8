import type { CoreUser } from "./core-rows.ts";
import { ok, refusal, type CoreAnswer, type CoreCall, type CoreRoute } from "./core-route.ts";

const VERSION = "1.2.0";
const shown = ({ id, email, name, role }: CoreUser) => ({ id, email, name, role });

export const authRoutes: readonly CoreRoute[] = [
  { method: "POST", path: "/api/auth/login", roles: "open", handle: login },
  {
    method: "POST",
    path: "/api/auth/logout",
    roles: "open",
    handle({ bearer, sessions }) {
      if (bearer !== undefined) sessions.end(bearer);
      return ok({ message: "Logged out successfully" });
    },
  },
  { method: "GET", path: "/api/auth/session", roles: "open", handle: session },
  {
    method: "GET",
    path: "/api/auth/setup-status",
    roles: "open",
    handle: ({ site }) => ok({ needsSetup: site.users.length === 0, userCount: site.users.length }),
  },
  {
    method: "GET",
    path: "/api/health",
    roles: "open",
    handle: ({ now }) =>
      ok({ status: "ok", database: "connected", timestamp: new Date(now).toISOString(), version: VERSION }),
  },
  { method: "GET", path: "/api/system/info", roles: ["admin", "operator", "viewer"], handle: systemInfo },
];

function login({ site, sessions, body: { email, password } }: CoreCall): CoreAnswer {
  if (!email || !password) return refusal(400, "Bad Request", "Email and password are required");
  const user = site.users.find((each) => each.email === email && each.password === password);
  if (!user) return refusal(401, "Unauthorized", "Invalid email or password");
  const { token, expiresAt } = sessions.open(user);
  return ok({ token, user: shown(user), expiresAt });
}

function session({ bearer, sessions }: CoreCall): CoreAnswer {
  const found = bearer === undefined ? undefined : sessions.find(bearer);
  return found
    ? ok({ user: shown(found.user), expiresAt: found.expiresAt })
    : refusal(401, "Unauthorized", "Invalid or expired session");
}

function systemInfo({ now }: CoreCall): CoreAnswer {
  return ok({
    version: VERSION,
    buildDate: "2026-03-01",
    releaseType: "stable",
    codename: "Sprout",
    node_version: "v20.11.0",
    platform: "linux",
    arch: "arm64",
    hostname: "sensehub-pi",
    uptime: 86_400,
    startedAt: new Date(now - 86_400_000).toISOString(),
    memory: { total: 4_000_000_000, free: 1_500_000_000, used: 2_500_000_000 },
    cpus: 4,
    database: { connected: true, path: "/app/data/sensehub.db" },
  });
}
