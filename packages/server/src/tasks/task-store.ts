import { randomUUID } from "node:crypto";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { millis, type Cancel, type Clock, type Duration, type Log } from "@steading/kernel";
import type { Places } from "../limits/places.ts";
import type { KeptTask, KeptTasks } from "./kept-tasks.ts";
import { isOver, type TaskStatus, type TaskView } from "./task-view.ts";

type Answer = Readonly<Record<string, unknown>>;

export interface TaskWork {
  readonly signal: AbortSignal;
  /** Puts a question to the client and waits for its answer. A key is used once in the life of a task. */
  ask(key: string, request: Answer): Promise<unknown>;
}

export interface NewTask {
  readonly principal: string;
  /** It acts on the world: how it ended must be known after a restart too. */
  readonly durable?: boolean;
  /** Resolves with the tool's result; a thrown error fails the task. */
  run(work: TaskWork): Promise<Answer>;
}

export interface TaskStore {
  /** Undefined: too many tasks. The task can be read before this resolves. */
  create(task: NewTask): Promise<TaskView | undefined>;
  /** Undefined: unknown, expired, or somebody else's. */
  get(id: string, principal: string): TaskView | undefined;
  answer(id: string, principal: string, responses: Readonly<Record<string, unknown>> | undefined): boolean;
  cancel(id: string, principal: string): boolean;
  onChange(listener: (task: TaskView) => void): Cancel;
  readonly size: number;
  /** Beginnings and ends that the ledger did not take. */
  readonly unwritten: number;
  close(): void;
}

interface Task {
  readonly id: string;
  readonly principal: string;
  readonly durable: boolean;
  readonly createdAt: number;
  readonly aborter: AbortController;
  readonly questions: Map<string, { readonly request: Answer; answer(value: unknown): void }>;
  readonly usedKeys: Set<string>;
  updatedAt: number;
  status: TaskStatus;
  outcome: KeptTask["outcome"];
}

/** The server side of the tasks extension: work that goes on after its call was answered. */
export function createTaskStore({
  places,
  age,
  poll,
  kept,
  clock,
  log,
}: {
  readonly places: Places;
  readonly age: Duration;
  readonly poll: Duration;
  /** Absent: no task survives a restart. */
  readonly kept?: KeptTasks;
  readonly clock: Clock;
  readonly log: Log;
}): TaskStore {
  const tasks = new Map<string, { readonly task: Task; readonly forget: Cancel }>();
  const listeners = new Set<(task: TaskView) => void>();

  let closed = false;
  let unwritten = 0;
  function move(task: Task, status: TaskStatus, outcome: Task["outcome"] = {}): void {
    // What is cut short by our own end did not end; the next start says what is known of it.
    if (isOver(task.status) || closed) return;
    task.status = status;
    task.outcome = outcome;
    task.updatedAt = clock.now();
    if (isOver(status) && task.durable) void writeDown(task);
    const view = viewOf(task);
    for (const listener of listeners) listener(view);
  }

  async function writeDown(task: Task): Promise<void> {
    try {
      await kept?.put(keptOf(task));
    } catch (fault) {
      unwritten++;
      log.error("A task could not be written down; a restart will not know of it.", fault, { task: task.id });
    }
  }

  function viewOf(task: Task): TaskView {
    const asked = [...task.questions].map(([key, { request }]) => [key, request] as const);
    return {
      taskId: task.id,
      status: task.status,
      createdAt: new Date(task.createdAt).toISOString(),
      lastUpdatedAt: new Date(task.updatedAt).toISOString(),
      ttlMs: age,
      pollIntervalMs: poll,
      ...task.outcome,
      ...(task.status === "input_required" && { inputRequests: Object.fromEntries(asked) }),
    };
  }

  async function work(task: Task, run: NewTask["run"]): Promise<void> {
    try {
      const result = await run({ signal: task.aborter.signal, ask: (key, request) => ask(task, key, request) });
      // A call that was cut short answers with an error; one that had already done its work tells what it did.
      if (task.aborter.signal.aborted && result["isError"] === true) return move(task, "cancelled");
      move(task, "completed", { result: { resultType: "complete", ...result } });
    } catch (fault) {
      if (task.aborter.signal.aborted) return move(task, "cancelled");
      if (!(fault instanceof ProtocolError)) log.error("A task failed.", fault);
      const error = fault instanceof ProtocolError ? { code: fault.code, message: fault.message } : INTERNAL;
      move(task, "failed", { error, statusMessage: error.message });
    }
  }

  function ask(task: Task, key: string, request: Answer): Promise<unknown> {
    if (task.usedKeys.has(key)) throw new RangeError(`The input key ${key} was used before in this task`);
    task.usedKeys.add(key);
    return new Promise((resolve, reject) => {
      const { signal } = task.aborter;
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      task.questions.set(key, { request, answer: resolve });
      move(task, "input_required");
    });
  }

  function remember(task: Task, leave: Cancel): void {
    const forget = clock.timer(millis(Math.max(0, task.createdAt + age - clock.now())), () => {
      task.aborter.abort();
      leave();
      tasks.delete(task.id);
      if (task.durable) kept?.forget(task.id);
    });
    tasks.set(task.id, { task, forget });
  }

  for (const old of kept?.restore() ?? []) {
    const leave = places.take(old.principal);
    if (leave === undefined) continue;
    const task = taskFrom(old, true);
    remember(task, leave);
    // What it was doing nobody can say from here; the record of its actions can.
    if (!isOver(task.status)) move(task, "failed", { error: RESTARTED, statusMessage: RESTARTED.message });
  }

  function own(id: string, principal: string): Task | undefined {
    const task = tasks.get(id)?.task;
    return task?.principal === principal ? task : undefined;
  }

  return {
    async create({ principal, durable = false, run }) {
      const leave = places.take(principal);
      if (leave === undefined) return undefined;
      const at = clock.now();
      const task = taskFrom(
        { id: randomUUID(), principal, createdAt: at, updatedAt: at, status: "working", outcome: {} },
        durable,
      );
      remember(task, leave);
      const beginning = viewOf(task);
      // One that cannot be written down goes on: it may carry a stop, and the door refuses what the disk must hold.
      if (durable) await writeDown(task);
      // The answer that tells of the task is about its beginning, however soon it asks or ends.
      queueMicrotask(() => void work(task, run));
      return beginning;
    },
    get(id, principal) {
      const task = own(id, principal);
      return task === undefined ? undefined : viewOf(task);
    },
    answer(id, principal, responses) {
      const task = own(id, principal);
      if (task === undefined) return false;
      for (const [key, value] of Object.entries(responses ?? {})) {
        const question = task.questions.get(key);
        if (question === undefined || !task.questions.delete(key)) continue;
        question.answer(value);
      }
      if (task.status === "input_required") move(task, task.questions.size > 0 ? "input_required" : "working");
      return true;
    },
    cancel(id, principal) {
      const task = own(id, principal);
      if (task === undefined) return false;
      // Cooperative: the work stops where it safely can and says itself what became of it.
      if (!isOver(task.status)) task.aborter.abort(new ProtocolError(ProtocolErrorCode.InternalError, "Cancelled"));
      return true;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    get size() {
      return tasks.size;
    },
    get unwritten() {
      return unwritten;
    },
    close() {
      closed = true;
      for (const { task, forget } of tasks.values()) {
        forget();
        task.aborter.abort();
      }
      tasks.clear();
      listeners.clear();
    },
  };
}

function taskFrom(beginning: KeptTask, durable: boolean): Task {
  return { ...beginning, durable, aborter: new AbortController(), questions: new Map(), usedKeys: new Set() };
}

function keptOf({ id, principal, createdAt, updatedAt, status, outcome }: Task): KeptTask {
  return { id, principal, createdAt, updatedAt, status, outcome };
}

const RESTARTED = {
  code: ProtocolErrorCode.InternalError,
  message: "The hub was restarted while this ran; list_actions tells what became of it.",
};
const INTERNAL = { code: ProtocolErrorCode.InternalError, message: "Internal error; the log has the reason." };
