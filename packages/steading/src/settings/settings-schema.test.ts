import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as z from "zod";
import { Settings, settingsJsonSchema } from "./settings-schema.ts";

const published: unknown = JSON.parse(readFileSync(new URL("../../steading.schema.json", import.meta.url), "utf8"));

// @proves steading.config.json-schema-published
test("the published JSON Schema is the one that is checked; write it again with `npm run schema -w packages/steading`", () => {
  expect(published).toEqual(settingsJsonSchema());
});

// @proves steading.config.json-schema-published
test("the published JSON Schema accepts and refuses what the check does", () => {
  const fromPublished = z.fromJSONSchema(published as Parameters<typeof z.fromJSONSchema>[0]); // equal to ours, see above
  const samples: unknown[] = [
    {},
    { access: "read" },
    { access: "maybe" },
    { lamps: [{ name: "hall", port: 1 }] },
    { lamps: [{ name: "hall" }] },
    { lamps: [{ name: "a b", port: 1 }] },
    { lamps: [{ name: "hall", port: 0 }] },
    { lamps: [{ name: "hall", port: 1, colour: "red" }] },
    { listen: [] },
    { listen: [{ port: 0 }] },
    { listen: [{ port: 65_536 }] },
    { log: { level: "loud" } },
    { other: 1 },
  ];
  const verdict = (schema: z.ZodType): boolean[] => samples.map((sample) => schema.safeParse(sample).success);
  expect(verdict(fromPublished)).toEqual(verdict(Settings));
});
