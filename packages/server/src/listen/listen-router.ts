import type { ServerResponse } from "node:http";
import { CLIENT_CAPABILITIES_META_KEY } from "@modelcontextprotocol/server";
import type { Cancel, Clock } from "@steading/kernel";
import type { StreamGuard } from "../auth/stream-guard.ts";
import type { Listener } from "../changes/fan-out.ts";
import type { MakePaced, Paced } from "../changes/paced.ts";
import type { ServerInfo } from "../eras/build-instance.ts";
import type { Exchange } from "../eras/exchange.ts";
import { callerFor } from "../eras/identity.ts";
import { sendRpcFault, type RpcFault } from "../http/respond.ts";
import type { Limits } from "../limits/limits.ts";
import type { Places } from "../limits/places.ts";
import type { ResourceShelf } from "../lists/resource-shelf.ts";
import type { ToolPages } from "../lists/tool-pages.ts";
import { declaresTasks, TASKS_EXTENSION } from "../tasks/tasks-extension.ts";
import type { TaskView } from "../tasks/task-view.ts";
import { createIndexOf } from "./index-of.ts";
import { readListenFilter, toAcknowledgement, type ListenFilter } from "./listen-filter.ts";
import { openingOf, openListenStream, type ListenStream } from "./listen-stream.ts";

/** A `subscriptions/listen` request whose headers and envelope were found to be in order. */
export interface ListenRequest {
  readonly id: string | number;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Our own answer to `subscriptions/listen`: checked against permissions, bounded, and serialised once per change. */
export interface ListenRouter extends Listener {
  /** Resolves to the code of the error it answered with, or to nothing once the stream is open. */
  serve(exchange: Exchange, request: ListenRequest): Promise<number | void>;
  readonly size: number;
  /** Streams cut because nobody read them. */
  readonly cut: number;
  close(): void;
}

interface Open {
  readonly stream: ListenStream;
  readonly pace: Paced<string>;
  readonly filter: ListenFilter;
  /** Streams that see the same tools share one. */
  readonly audience: string;
  end(gracefully: boolean): void;
}

export function createListenRouter({
  info,
  pages,
  shelf,
  ownsTask,
  guard,
  streamPlaces,
  paced,
  clock,
  limits,
}: {
  readonly info: ServerInfo;
  readonly pages: ToolPages;
  readonly shelf: ResourceShelf;
  ownsTask(principal: string, taskId: string): boolean;
  readonly guard: StreamGuard;
  readonly streamPlaces: Places;
  readonly paced: MakePaced;
  readonly clock: Clock;
  readonly limits: Limits;
}): ListenRouter {
  const open = new Set<Open>();
  const byAudience = createIndexOf<Open>();
  const byUri = createIndexOf<Open>();
  const byTask = createIndexOf<Open>();
  /** What each audience was last shown, and how to look again. */
  const shown = new Map<string, { fingerprint: string; look(): string }>();
  let beat: Cancel | undefined;
  let cut = 0;

  function tell(streams: Iterable<Open>, kind: string, opening: string): void {
    for (const each of streams) each.pace.say(kind, opening);
  }
  function tellWhere(wants: (filter: ListenFilter) => boolean, kind: string): void {
    tell(
      [...open].filter(({ filter }) => wants(filter)),
      kind,
      openingOf(`notifications/${kind}/list_changed`),
    );
  }

  function keepAlive(): void {
    for (const { stream } of open) stream.comment();
    beat = open.size > 0 ? clock.timer(limits.streamKeepAlive, keepAlive) : undefined;
  }

  /** What of the wish may be fulfilled: readable resources and own tasks, up to the limit. */
  async function honoured({ identity }: Exchange, wish: ListenFilter): Promise<ListenFilter> {
    const caller = callerFor(identity);
    const readable = await Promise.all(
      wish.uris
        .slice(0, limits.subscriptionsPerClient)
        .map(async (uri) => ((await shelf.mayRead(uri, caller)) ? [uri] : [])),
    );
    const taskIds = wish.taskIds
      .slice(0, limits.subscriptionsPerClient)
      .filter((id) => ownsTask(identity.principal, id));
    return { ...wish, uris: readable.flat(), taskIds };
  }

  function admit(exchange: Exchange, id: string | number, filter: ListenFilter, leave: Cancel): void {
    const { res, identity, token, window } = exchange;
    const audience = pages.audienceOf(identity, window);
    const stream = openListenStream({ res, id, info, unreadBytes: limits.unreadBytes });
    const pace = paced<string>({
      send(opening) {
        if (stream.write(opening)) return;
        cut++;
        end(false);
      },
    });
    const entry: Open = { stream, pace, filter, audience, end };
    const letGo = guard.hold({ identity, token, end: () => end(true) });

    function end(gracefully: boolean): void {
      if (!open.delete(entry)) return;
      letGo();
      leave();
      pace.stop();
      for (const uri of filter.uris) byUri.remove(uri, entry);
      for (const taskId of filter.taskIds) byTask.remove(taskId, entry);
      byAudience.remove(audience, entry);
      if (gracefully) stream.finish();
    }
    open.add(entry);
    res.once("close", () => end(false));
    for (const uri of filter.uris) byUri.add(uri, entry);
    for (const taskId of filter.taskIds) byTask.add(taskId, entry);
    if (filter.tools) {
      byAudience.add(audience, entry);
      const look = (): string => pages.listFor(identity, window).fingerprint;
      if (!shown.has(audience)) shown.set(audience, { fingerprint: look(), look });
    }
    beat ??= clock.timer(limits.streamKeepAlive, keepAlive);
    const notifications = toAcknowledgement(filter);
    stream.write(openingOf("notifications/subscriptions/acknowledged", { notifications }));
    if (Object.keys(notifications).length === 0) end(true);
  }

  return {
    async serve(exchange, { id, params }) {
      const { res, identity } = exchange;
      const wish = readListenFilter(params);
      if (wish === undefined) {
        const message = "Invalid params: notifications must be a subscription filter";
        return refuse(res, { status: 200, code: -32602, message, id });
      }
      if (wish.taskIds.length > 0 && !declaresTasks(capabilitiesIn(params))) {
        const data = { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } };
        return refuse(res, {
          status: 400,
          code: -32021,
          message: "Missing required client capability",
          id,
          data,
        });
      }
      const leave = streamPlaces.take(identity.principal);
      if (leave === undefined)
        return refuse(res, { status: 200, code: -32603, message: "Subscription limit reached", id });
      const filter = await honoured(exchange, wish).catch((fault: unknown) => {
        leave();
        throw fault;
      });
      if (res.destroyed) return leave();
      admit(exchange, id, filter, leave);
    },
    toolsChanged() {
      for (const audience of byAudience.keys()) {
        const last = shown.get(audience);
        const fingerprint = last?.look();
        if (last === undefined || fingerprint === undefined || fingerprint === last.fingerprint) continue;
        last.fingerprint = fingerprint;
        tell(byAudience.get(audience), "tools", openingOf("notifications/tools/list_changed"));
      }
      // Audiences nobody belongs to any more are forgotten, so that roles and scopes of the past do not add up.
      const alive = new Set(byAudience.keys());
      for (const audience of shown.keys()) if (!alive.has(audience)) shown.delete(audience);
    },
    promptsChanged: () => tellWhere((filter) => filter.prompts, "prompts"),
    resourcesChanged: () => tellWhere((filter) => filter.resources, "resources"),
    resourceUpdated: (uri, meta) =>
      tell(byUri.get(uri), uri, openingOf("notifications/resources/updated", { uri }, meta)),
    taskChanged: (task: TaskView) =>
      tell(byTask.get(task.taskId), task.taskId, openingOf("notifications/tasks", { ...task })),
    get size() {
      return open.size;
    },
    get cut() {
      return cut;
    },
    close() {
      for (const each of [...open]) each.end(true);
      beat?.();
      beat = undefined;
    },
  };
}

function refuse(res: ServerResponse, fault: RpcFault): number {
  sendRpcFault(res, fault);
  return fault.code;
}

function capabilitiesIn(params: Readonly<Record<string, unknown>>): unknown {
  return (params["_meta"] as Readonly<Record<string, unknown>> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
}
