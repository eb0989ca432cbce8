import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

type OnRequest = (req: IncomingMessage, res: ServerResponse) => void;

/**
 * Serves the requests of one connection one after the other. Node would start all that a client has sent ahead and keep
 * their answers until it reads them, which a client that never reads could turn into any amount of memory. Nobody
 * speaks MCP that way; a few ahead are served in their turn, many end the connection.
 */
export function oneAtATime(serve: OnRequest, mostAhead: number, onTooMany: () => void = () => {}): OnRequest {
  const ahead = new WeakMap<Socket, number>();
  return (req, res) => {
    // An answer gets the socket when those before it have left it.
    if (res.socket !== null) return serve(req, res);
    const { socket } = req;
    const waiting = (ahead.get(socket) ?? 0) + 1;
    if (waiting > mostAhead) {
      onTooMany();
      return void socket.destroy();
    }
    ahead.set(socket, waiting);
    res.once("socket", () => {
      ahead.set(socket, (ahead.get(socket) ?? 1) - 1);
      serve(req, res);
    });
  };
}
