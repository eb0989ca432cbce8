import type { ListenRouter } from "../listen/listen-router.ts";
import type { RequestWatch } from "./request-watch.ts";
import { readTraceContext } from "./trace-context.ts";

/** A listen request is over, for whoever counts, when its stream is open or was refused. */
export function watchListen(listen: Pick<ListenRouter, "serve">, watch: RequestWatch): Pick<ListenRouter, "serve"> {
  return {
    serve(exchange, request) {
      const { transport, role } = exchange.identity;
      const meta = request.params["_meta"] as Readonly<Record<string, unknown>> | undefined; // its envelope was checked
      const trace = readTraceContext(meta, (name) => exchange.req.headers[name]);
      const about = { method: "subscriptions/listen", era: "modern", transport, role, hot: false } as const;
      return watch.during(about, trace, () => listen.serve(exchange, request));
    },
  };
}
