import type { Health, Part } from "@steading/kernel";

const ORDER = ["ok", "degraded", "down"] as const satisfies readonly Health["status"][];

/** As well as the part that is worst off, with everybody's reasons. */
export function worstHealth(parts: readonly Pick<Part, "name" | "health">[]): Health {
  let status: Health["status"] = "ok";
  const reasons: string[] = [];
  for (const part of parts) {
    const health = part.health();
    if (ORDER.indexOf(health.status) > ORDER.indexOf(status)) status = health.status;
    if (health.reason !== undefined) reasons.push(`${part.name}: ${health.reason}`);
  }
  return reasons.length === 0 ? { status } : { status, reason: reasons.join(" ") };
}
