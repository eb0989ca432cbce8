import type { Cancel, Clock, Duration, Json, Received, Reception, SteadingError } from "@steading/kernel";
import { decodeAnswer, type LampAnswer } from "./lamp-answer.ts";
import { lampError } from "./lamp-errors.ts";
import { toBytes, type LampRequest } from "./lamp-request.ts";
import { createLineReader, type Line } from "./line-reader.ts";
import type { Wire } from "./wire.ts";

export interface Answered {
  readonly answer: Exclude<LampAnswer, { kind: "refused" }>;
  /** The same answer, stamped at the moment its last byte was decoded. */
  readonly arrival: Received;
}

export interface AskOptions {
  readonly signal?: AbortSignal;
  /** Called right before the request's bytes leave. */
  firstByte?(): void;
}

/** Requests and answers on one connection: written at once, answered in order. */
export interface Conversation {
  ask(request: LampRequest, options?: AskOptions): Promise<Answered>;
  /** Resolves with the reason once the connection is given up; no answer can come after it. */
  readonly ended: Promise<SteadingError>;
  end(reason: SteadingError): void;
}

interface Pending {
  readonly request: LampRequest;
  /** Call when its answer came or never will. */
  readonly settled: Cancel;
  resolve(answered: Answered): void;
  reject(error: unknown): void;
}

export interface ConversationDeps {
  readonly name: string;
  readonly wire: Wire;
  readonly clock: Clock;
  readonly reception: Reception;
  /** How long each answer may take. */
  readonly timeout: Duration;
  /** Requests that may wait for their answers at a time. */
  readonly maxPending: number;
  readonly told: ConversationEvents;
}

/** For counters and the back-off; called synchronously. */
export interface ConversationEvents {
  /** A line answered a request. */
  answer(): void;
  /** A line did not. */
  garbage(): void;
  /** An answer did not come in time. */
  timeout(): void;
  /** A request was turned away because too many are waiting. */
  refused(): void;
}

/**
 * Answers carry no id, only their place in the order. So whatever disturbs the order (a missing answer, a line that is
 * none, a line nobody asked for) ends the conversation: on a fresh connection the order is certain again.
 */
export function createConversation(deps: ConversationDeps): Conversation {
  const { name, wire, clock, reception, timeout, maxPending, told } = deps;
  const reader = createLineReader();
  const pending: Pending[] = [];
  let over: SteadingError | undefined;
  let tellEnded: (reason: SteadingError) => void;
  const ended = new Promise<SteadingError>((resolve) => (tellEnded = resolve));

  function end(reason: SteadingError): void {
    if (over) return;
    over = reason;
    wire.close();
    for (const each of pending.splice(0)) {
      each.settled();
      each.reject(reason);
    }
    tellEnded(reason);
  }

  function onLine(line: Line): void {
    const asked = pending.shift();
    if (!asked) {
      told.garbage();
      end(lampError("SOURCE_UNAVAILABLE", `The lamp ${name} sent a line that nobody asked for.`));
      return;
    }
    asked.settled();
    const decoded = decodeAnswer(asked.request, line);
    if (!decoded.ok) {
      told.garbage();
      const error = lampError("SOURCE_UNAVAILABLE", `The lamp ${name} sent something that is no answer.`, {
        details: { problem: decoded.problem },
      });
      asked.reject(error);
      end(error);
      return;
    }
    told.answer();
    if (decoded.answer.kind === "refused") {
      asked.reject(
        lampError("SOURCE_REJECTED", `The lamp ${name} did not understand the command; nothing changed.`, {
          details: { refused: true },
        }),
      );
      return;
    }
    asked.resolve({
      answer: decoded.answer,
      arrival: reception.received(answerValue(decoded.answer)),
    });
  }

  function onTimeout(): void {
    // Every request waits equally long, so the one whose time is up is the oldest.
    const late = pending.shift();
    late?.settled();
    told.timeout();
    late?.reject(lampError("TIMEOUT", `The lamp ${name} did not answer within ${timeout} ms.`));
    end(lampError("SOURCE_UNAVAILABLE", `The lamp ${name} stopped answering; its connection was given up.`));
  }

  wire.onPiece((piece) => {
    for (const line of reader.push(piece)) {
      if (over) return;
      onLine(line);
    }
  });
  wire.onEnd((cause) =>
    end(
      lampError("SOURCE_UNAVAILABLE", `The lamp ${name} closed the connection.`, cause === undefined ? {} : { cause }),
    ),
  );

  return {
    ask(request, { signal, firstByte } = {}) {
      return new Promise<Answered>((resolve, reject) => {
        signal?.throwIfAborted();
        if (over) throw over;
        if (pending.length >= maxPending) {
          told.refused();
          throw lampError("SOURCE_UNAVAILABLE", `The lamp ${name} already has ${maxPending} requests to answer.`);
        }
        // Before anything is set up: it may refuse, and a place in the order without its bytes would shift all answers.
        firstByte?.();
        // An aborted caller goes away, but its place in the order stays: the answer is still to come.
        const leave = (): void => reject(signal?.reason);
        signal?.addEventListener("abort", leave, { once: true });
        const cancelTimer = clock.timer(timeout, onTimeout);
        const settled = (): void => {
          cancelTimer();
          signal?.removeEventListener("abort", leave);
        };
        pending.push({ request, resolve, reject, settled });
        wire.write(toBytes(request));
      });
    },
    ended,
    end,
  };
}

function answerValue(answer: Answered["answer"]): Json {
  switch (answer.kind) {
    case "accepted":
      return null;
    case "state":
      return answer.on;
    case "count":
      return answer.switches;
  }
}
