import type { Readable, Writable } from "node:stream";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Cancel, Log } from "@steading/kernel";
import type { FanOut } from "../changes/fan-out.ts";
import type { MakePaced } from "../changes/paced.ts";
import type { BuildInstance } from "../eras/build-instance.ts";
import type { Identity } from "../eras/identity.ts";
import { createInstanceListener } from "../eras/instance-listener.ts";
import type { HotLines } from "../hot/hot-lines.ts";
import type { Window } from "../http/route.ts";
import type { Limits } from "../limits/limits.ts";
import type { ResourceShelf } from "../lists/resource-shelf.ts";
import type { ToolPages } from "../lists/tool-pages.ts";
import { createLineTransport } from "./line-transport.ts";
import { createListenScreen } from "./screen-listen.ts";

export interface ServedStream {
  /** Resolves when the client is gone or `close` was called. Exiting the process is the caller's business. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

export interface ServeStream {
  readonly input: Readable;
  readonly output: Writable;
  readonly identity: Identity;
  readonly window: Window;
}

/** One JSON message a line, both eras; the first message decides which. */
export function createStreamServer({
  build,
  pages,
  fanOut,
  paced,
  shelf,
  hotLines,
  log,
  limits,
}: {
  readonly build: BuildInstance;
  readonly pages: ToolPages;
  readonly fanOut: FanOut;
  readonly paced: MakePaced;
  readonly shelf: ResourceShelf;
  /** Absent: every message is the instance's. */
  readonly hotLines: HotLines | undefined;
  readonly log: Log;
  readonly limits: Limits;
}): (stream: ServeStream) => ServedStream {
  return ({ input, output, identity, window }) => {
    const screen = createListenScreen({ shelf, identity, most: limits.subscriptionsPerClient });
    const transport = createLineTransport({
      input,
      output,
      screen,
      ...(hotLines === undefined ? {} : { hot: (send) => hotLines({ identity, window, send }) }),
      lineBytes: limits.lineBytes,
      unreadBytes: limits.unreadBytes,
    });
    const handle = serveStdio(
      ({ era }) => {
        const subscriptions = era === "legacy" ? new Set<string>() : undefined;
        const server = build({ era, identity, window, ...(subscriptions === undefined ? {} : { subscriptions }) });
        let leave: Cancel | undefined;
        // Joined only once connected: the instance may be a probe that is thrown away unused.
        const connect = server.connect.bind(server);
        server.connect = async (channel) => {
          await connect(channel);
          const listener = createInstanceListener({ server, subscriptions, pages, paced, identity, window });
          const forget = fanOut.join(listener);
          leave = () => {
            forget();
            listener.stop();
          };
        };
        server.onclose = () => leave?.();
        return server;
      },
      {
        transport,
        maxSubscriptions: limits.streamsPerPrincipal,
        onerror: (error) => log.debug("A line could not be served.", { reason: error.message }),
      },
    );
    const ended = new Promise<void>((resolve) => {
      const closed = transport.onclose;
      transport.onclose = () => {
        closed?.();
        resolve();
      };
    });
    return { ended, close: () => handle.close() };
  };
}
