import { connect, type Socket } from "node:net";
import { SteadingError, type Role } from "@steading/kernel";

/** What the kernel accepts as the path of a socket file, with its closing zero. */
const LONGEST_PATH = 107;

/**
 * Connects to a running hub and says hello. Undefined: there is none; a file that a killed hub left behind counts as none.
 */
export function connectToHub({
  path,
  role,
  view,
}: {
  readonly path: string;
  readonly role: Role;
  /** Which tools to see; all of them where this says nothing. */
  readonly view?: string;
}): Promise<Socket | undefined> {
  checkSocketPath(path);
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => {
      // A hub may go away at any moment; `close` follows and tells whoever uses the socket.
      socket.off("error", onError).on("error", () => {});
      socket.write(`${JSON.stringify({ steading: 1, role, ...(view !== undefined && { view }) })}\n`);
      resolve(socket);
    });
    function onError(cause: NodeJS.ErrnoException): void {
      if (cause.code === "ENOENT" || cause.code === "ECONNREFUSED" || cause.code === "ENOTDIR")
        return resolve(undefined);
      reject(
        new SteadingError("HUB_REFUSED", `The hub's socket ${path} cannot be opened.`, {
          hint: "Only the user who started the hub may use it; run the command as that user.",
          cause,
        }),
      );
    }
    socket.once("error", onError);
  });
}

export function checkSocketPath(path: string): void {
  if (Buffer.byteLength(path) <= LONGEST_PATH) return;
  throw new SteadingError(
    "USAGE",
    `The data directory's path is too long: ${path} has more than ${LONGEST_PATH} bytes.`,
    {
      hint: "Give a shorter one with --data.",
    },
  );
}
