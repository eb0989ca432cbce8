/** Where the core is, and how the bridge speaks of it. */
export interface CoreAddress {
  /** For people: without anything secret, because nothing secret may be in it. */
  readonly shown: string;
  readonly secure: boolean;
  url(path: string, query?: Readonly<Record<string, string | undefined>>): URL;
  readonly socket: string;
}

/** Takes the base URL of the settings: a host, perhaps with a path below which the core lives. */
export function readCoreAddress(text: string): CoreAddress {
  const base = URL.canParse(text) ? new URL(text) : undefined;
  if (!base || !["http:", "https:"].includes(base.protocol)) {
    throw new TypeError("The core's address must be an http or https URL, such as http://localhost:3000.");
  }
  if (base.username !== "" || base.password !== "" || base.search !== "" || base.hash !== "") {
    throw new TypeError("The core's address is host, port and path only; credentials have settings of their own.");
  }
  const prefix = base.pathname.replace(/\/+$/, "");
  const secure = base.protocol === "https:";
  return {
    shown: `${base.origin}${prefix}`,
    secure,
    url(path, query = {}) {
      const url = new URL(`${base.origin}${prefix}${path}`);
      for (const [key, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(key, value);
      return url;
    },
    socket: `${secure ? "wss" : "ws"}://${base.host}${prefix}/ws`,
  };
}
