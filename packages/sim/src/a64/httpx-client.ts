import { connect, type Socket } from "node:net";
import { createAnswerReader, type HttpAnswer } from "./answer-reader.ts";
import { A64TransportError } from "./client-errors.ts";
import type { A64ExchangeLog } from "./exchange-log.ts";
import { toRequestBytes, type OutgoingRequest } from "./request-bytes.ts";

/** What Python calls an AsyncClient: made for a call or two, keeps its connection for the second, closed afterwards. */
export interface HttpxClient {
  request(request: OutgoingRequest): Promise<HttpAnswer>;
  close(): void;
}

interface Line {
  readonly socket: Socket;
  readonly number: number;
}

export function createHttpxClient({
  origin,
  timeoutMs,
  log,
}: {
  /** `http://host:port` */
  readonly origin: string;
  /** For connecting, and for each silence in between; never for a call as a whole. */
  readonly timeoutMs: number;
  readonly log: A64ExchangeLog;
}): HttpxClient {
  const { hostname, port, host } = new URL(origin);
  let kept: Line | undefined;

  async function open(): Promise<Line> {
    const number = log.nextConnection();
    const socket = connect({ host: hostname.replaceAll(/[[\]]/g, ""), port: Number(port || 80), noDelay: true });
    socket.on("error", () => {}); // `close` follows, with or without a reason, and is what is waited for
    await new Promise<void>((resolve, reject) => {
      const fail = (cause?: unknown) => {
        socket.destroy();
        reject(new A64TransportError("connect", `Nobody answers at ${origin}.`, cause));
      };
      socket.setTimeout(timeoutMs, () => fail());
      socket.once("error", fail);
      socket.once("connect", () => {
        socket.off("error", fail);
        socket.removeAllListeners("timeout");
        resolve();
      });
    });
    return { socket, number };
  }

  function exchange({ socket, number }: Line, bytes: Buffer): Promise<HttpAnswer> {
    const reader = createAnswerReader();
    const arrived: Buffer[] = [];
    return new Promise((resolve, reject) => {
      const settle = (answer: HttpAnswer | undefined, error?: Error) => {
        socket.off("data", onData).off("close", onClose).removeAllListeners("timeout");
        log.add({ connection: number, request: bytes, response: Buffer.concat(arrived), status: answer?.status });
        if (answer) resolve(answer);
        else {
          socket.destroy();
          reject(error ?? new A64TransportError("read", `${origin} hung up before its answer was whole.`));
        }
      };
      const onData = (piece: Buffer) => {
        arrived.push(piece);
        try {
          const answer = reader.push(piece);
          if (answer) settle(answer);
        } catch (cause) {
          settle(undefined, new A64TransportError("read", `${origin} answered something that is no HTTP.`, cause));
        }
      };
      const onClose = () => settle(reader.end());
      socket.setTimeout(timeoutMs, () =>
        settle(undefined, new A64TransportError("timeout", `${origin} was silent for ${timeoutMs} ms.`)),
      );
      socket.on("data", onData).once("close", onClose);
      if (socket.destroyed) settle(undefined);
      else socket.write(bytes);
    });
  }

  return {
    async request(request) {
      const line = kept && !kept.socket.destroyed && kept.socket.writable ? kept : await open();
      kept = undefined;
      const answer = await exchange(line, toRequestBytes(host, request));
      if (answer.reusable) kept = line;
      else line.socket.destroy();
      return answer;
    },
    close() {
      kept?.socket.destroy();
      kept = undefined;
    },
  };
}
