import { IssuerSettings, LimitSettings } from "@steading/server";
import * as z from "zod";
import { farmListener, FarmSettings } from "./farm-settings.ts";
import { exposed, ListenerSettings, listenerHost, unprotected } from "./listener-settings.ts";

export const LampSettings = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/)
    .meta({ description: "Its place in the graph: /lamps/<name>. Letters, digits, _ and -, at most 63." }),
  host: listenerHost.default("127.0.0.1").meta({ description: "Where the lamp listens." }),
  port: z.int().min(1).max(65_535).meta({ description: "The lamp's TCP port." }),
  title: z.exactOptional(z.string().min(1).max(100)).meta({ description: "Name for people." }),
  timeoutMs: z.int().min(10).max(60_000).default(1_000).meta({ description: "How long the lamp may take to answer." }),
  pollMs: z.int().min(100).max(3_600_000).default(5_000).meta({ description: "How often its state is read." }),
});

export const EbusSettings = z.strictObject({
  adapter: z
    .string()
    .min(1)
    .max(500)
    .meta({ description: "Where the eBUS adapter is, for example enh://192.168.1.5:9999." }),
  readOnly: z
    .boolean()
    .default(true)
    .meta({ description: "Only listen: nothing is ever put on the bus, not even a question." }),
  scan: z
    .enum(["off", "heard", "all"])
    .default("heard")
    .meta({ description: "Whom to ask who they are: nobody, those that were heard, or every address." }),
});

export const OtlpSettings = z.strictObject({
  endpoint: z
    .url({ protocol: /^https?$/ })
    .meta({ description: "Where the collector takes spans over HTTP, for example http://127.0.0.1:4318/v1/traces." }),
  sample: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .meta({ description: "Which share of traces is sent; one that a client began is sent as it says." }),
});

const ISSUERS = 16;

export const Settings = z
  .strictObject({
    access: z
      .enum(["write", "read"])
      .default("write")
      .meta({ description: "read refuses everything that switches something on; off and stop always work." }),
    publicUrl: z
      .exactOptional(z.url({ protocol: /^https?$/ }))
      .meta({ description: "The hub's address as clients see it. Needed with issuers: it is their tokens' audience." }),
    issuers: z
      .array(IssuerSettings)
      .max(ISSUERS)
      .default([])
      .meta({ description: "OAuth authorization servers whose tokens are accepted." }),
    listen: z.array(ListenerSettings).min(1).max(16).prefault([{}]),
    limits: LimitSettings.prefault({}).meta({ description: "Bounds of what one hub takes on. Each has a default." }),
    ebus: z.exactOptional(EbusSettings).meta({ description: "The heating bus. Absent: there is none." }),
    farm: z.exactOptional(FarmSettings).meta({ description: "The farm: equipment on Modbus. Absent: there is none." }),
    lamps: z.array(LampSettings).max(1_000).default([]),
    telemetry: z
      .strictObject({
        otlp: z
          .exactOptional(OtlpSettings)
          .meta({ description: "Sends OpenTelemetry spans. Absent: nothing is traced and nothing is sent." }),
      })
      .prefault({}),
    log: z
      .strictObject({
        level: z.enum(["debug", "info", "warn", "error"]).default("info"),
      })
      .prefault({}),
  })
  .superRefine((settings, context) => {
    if (settings.issuers.length > 0 && settings.publicUrl === undefined) {
      context.addIssue({
        code: "custom",
        path: ["issuers"],
        message:
          "issuers need publicUrl, which their tokens name as audience; add it, for example https://steading.lan",
      });
    }
    const seen = new Set<string>();
    for (const [index, { name }] of settings.lamps.entries()) {
      if (seen.has(name)) {
        context.addIssue({
          code: "custom",
          path: ["lamps", index, "name"],
          message: `another lamp is called ${name} already; give each its own name`,
        });
      }
      seen.add(name);
    }
    for (const [index, listener] of settings.listen.entries()) {
      const refusal = unprotected(listener);
      if (refusal) context.addIssue({ code: "custom", path: ["listen", index, "host"], message: refusal });
    }
    const [main] = settings.listen;
    const farm = farmListener(settings);
    // What it has from the main listener is that one's mistake, and told there.
    const refusal = farm && main && unprotected(main) === undefined ? exposed(farm) : undefined;
    if (refusal) context.addIssue({ code: "custom", path: ["farm", "host"], message: refusal });
  })
  .meta({ title: "steading.config.yaml", description: "Settings of a Steading hub." });

export type Settings = z.infer<typeof Settings>;
export type OtlpSettings = z.infer<typeof OtlpSettings>;
export type LampSettings = z.infer<typeof LampSettings>;

/** The published form. It says all that can be said without code; names that repeat are only found by the check itself. */
export function settingsJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(Settings, { io: "input" });
}
