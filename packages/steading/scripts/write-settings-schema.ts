import { writeFileSync } from "node:fs";
import { settingsJsonSchema } from "../src/settings/settings-schema.ts";

writeFileSync(
  new URL("../steading.schema.json", import.meta.url),
  `${JSON.stringify(settingsJsonSchema(), null, 2)}\n`,
);
