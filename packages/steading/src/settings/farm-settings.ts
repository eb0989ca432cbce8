import * as z from "zod";
import { anyPort, listenerHost, TlsSettings, type ListenerSettings } from "./listener-settings.ts";

/** Where clients of SenseHub expect its MCP server. */
const FARM_PORT = 3001;
const EIGHT_HOURS = 28_800_000;
const as = "As on the main listener unless it is said here.";

export const FarmSettings = z.strictObject({
  port: z.exactOptional(anyPort.nullable()).meta({
    description:
      "Port of SenseHub's MCP server, 3001 unless the main listener takes a free one; 0 takes a free one, null has none.",
  }),
  host: z.exactOptional(listenerHost).meta({ description: `Address of that port. ${as}` }),
  tls: z.exactOptional(TlsSettings).meta({ description: `Encrypts that port. ${as}` }),
  trustedProxy: z.exactOptional(z.boolean()).meta({ description: as }),
  insecure: z.exactOptional(z.boolean()).meta({ description: as }),
  allowedHosts: z
    .exactOptional(z.array(listenerHost).max(64))
    .meta({ description: `${as} Off loopback the machine's own addresses count besides.` }),
  allowedOrigins: z.exactOptional(z.array(listenerHost).max(64)).meta({ description: as }),
  sessionTimeoutMs: z
    .int()
    .min(60_000)
    .max(30 * 86_400_000)
    .default(EIGHT_HOURS)
    .meta({ description: "How long a login through /api/auth/login lasts." }),
  liveDescriptions: z
    .boolean()
    .default(true)
    .meta({ description: "Names of equipment and automations inside the descriptions of the tools." }),
  bridge: z.exactOptional(z.strictObject({ url: z.url({ protocol: /^https?$/ }) })).meta({
    description: "Serves a SenseHub core that runs elsewhere, at this address, instead of a farm of its own.",
  }),
});
export type FarmSettings = z.infer<typeof FarmSettings>;

/** The farm's own listener, with everything decided. Undefined: there is none. */
export function farmListener({
  listen,
  farm,
}: {
  readonly listen: readonly ListenerSettings[];
  readonly farm?: FarmSettings;
}): ListenerSettings | undefined {
  const [main] = listen;
  if (!farm || !main || farm.port === null) return undefined;
  const { host, trustedProxy, insecure, allowedHosts, allowedOrigins, tls } = { ...main, ...farm };
  return {
    host,
    // Whoever asks for any free port runs several hubs, and a fixed one would keep the second from starting.
    port: farm.port ?? (main.port === 0 ? 0 : FARM_PORT),
    serve: ["mcp:farm"],
    trustedProxy,
    insecure,
    allowedHosts,
    allowedOrigins,
    ...(tls !== undefined && { tls }),
  };
}
