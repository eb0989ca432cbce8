import * as z from "zod";

/** A name or an address of a machine. */
export const listenerHost = z.string().min(1).max(253);
export const anyPort = z.int().min(0).max(65_535);

export const TlsSettings = z.strictObject({
  cert: z.string().min(1).meta({ description: "File with the certificate and its chain, in PEM." }),
  key: z.string().min(1).meta({ description: "File with its private key, in PEM." }),
});

export const ListenerSettings = z.strictObject({
  host: listenerHost
    .default("127.0.0.1")
    .meta({ description: "Address to listen on. Anything but loopback needs protection." }),
  port: anyPort.default(3000).meta({ description: "TCP port; 0 takes a free one." }),
  serve: z
    .array(z.string().regex(/^[a-z][a-z0-9_-]*(:[A-Za-z0-9_.-]+)?$/))
    .min(1)
    .max(32)
    .default(["all"])
    .meta({
      description: "What is served here: all, mcp, mcp:<toolset> for that one alone, <part>-api for a part's routes.",
    }),
  tls: z
    .exactOptional(TlsSettings)
    .meta({ description: "Encrypts with this certificate. Files are looked for beside the settings file." }),
  trustedProxy: z
    .boolean()
    .default(false)
    .meta({ description: "A proxy in front of this listener keeps strangers out and encrypts." }),
  insecure: z
    .boolean()
    .default(false)
    .meta({ description: "Listen off loopback without encryption. Tokens can be read on the way." }),
  allowedHosts: z
    .array(listenerHost)
    .max(64)
    .default([])
    .meta({ description: "Host names, besides loopback, that requests may ask for." }),
  allowedOrigins: z.array(listenerHost).max(64).default([]).meta({
    description: "Host names of web pages that may call the hub and read its answers; scheme://* for extensions.",
  }),
});

export type ListenerSettings = z.infer<typeof ListenerSettings>;

/** A sentence when this listener would be open to the network with nothing in front of it, or under no known name. */
export function unprotected(listener: ListenerSettings): string | undefined {
  const { host, allowedHosts } = listener;
  const refusal = exposed(listener);
  if (refusal !== undefined || isLoopback(host) || allowedHosts.length > 0) return refusal;
  return `${host} is reached by names that are not known; list them in allowedHosts, for example [steading.lan]`;
}

/** A sentence when this listener would be open to the network with nothing in front of it. */
export function exposed({ host, tls, trustedProxy, insecure }: ListenerSettings): string | undefined {
  if (isLoopback(host) || tls !== undefined || trustedProxy || insecure) return undefined;
  return (
    `${host} can be reached from the network and nothing protects it; ` +
    "keep 127.0.0.1, or set tls, or trustedProxy: true if a proxy encrypts in front of it, or insecure: true if you accept the risk"
  );
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}
