import { expect, test } from "vitest";
import { effectiveRole, roleAtLeast, ROLES, type Role } from "./caller.ts";
import { trialCaller } from "./testing/index.ts";

// @proves kernel.caller.role-order
test("roles rank viewer, operator, admin, and each may what the ones below may", () => {
  expect(ROLES).toEqual(["viewer", "operator", "admin"]);
  for (const [i, role] of ROLES.entries()) {
    for (const [j, needed] of ROLES.entries()) expect(roleAtLeast(role, needed)).toBe(i >= j);
  }
});

// @proves kernel.access.token-scope-narrows
test("a token can take rights away and never add any", () => {
  const role = (own: Role, limit?: Role) =>
    effectiveRole(trialCaller({ role: own, ...(limit ? { scope: { role: limit } } : {}) }));
  expect(role("operator")).toBe("operator");
  expect(role("admin", "viewer")).toBe("viewer");
  expect(role("admin", "admin")).toBe("admin");
  expect(role("viewer", "admin")).toBe("viewer");
  expect(role("operator", "admin")).toBe("operator");
});
