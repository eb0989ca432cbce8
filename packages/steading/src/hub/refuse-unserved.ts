import { SteadingError, type Part } from "@steading/kernel";

const WANTS = [["mqtt", "a place on the MQTT port"]] as const satisfies readonly (readonly [keyof Part, string])[];

/** A part that waits for calls which can never come is a mistake of whoever put the hub together; better told at once. */
export function refuseUnserved(parts: readonly Part[]): void {
  for (const part of parts) {
    for (const [member, what] of WANTS) {
      if ((part[member]?.length ?? 0) === 0) continue;
      throw new SteadingError("PART_UNSERVED", `The part ${part.name} wants ${what}, which this hub does not serve.`);
    }
  }
}
