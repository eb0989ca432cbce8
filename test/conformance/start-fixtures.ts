import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { plainEnvironment, STEADING_COMMAND } from "../support/steading-command.ts";

const FIXTURES = fileURLToPath(new URL("serve-fixtures.ts", import.meta.url));

/** A server with the referee's names in it, in a process of its own. */
export interface Fixtures {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * `hot` is the product itself, `steading serve --conformance`, on the Node that runs this; it needs a build. `cold` is the
 * same shell without its hot path, which the product has no switch for, on the referee's Node, so that a newer one than
 * ours has to serve everything too.
 */
export async function startFixtures(path: "hot" | "cold", { node }: { readonly node: string }): Promise<Fixtures> {
  const child =
    path === "hot"
      ? spawn(process.execPath, [STEADING_COMMAND, "serve", "--conformance", "--port", "0", "--json"], {
          env: plainEnvironment(),
          stdio: ["ignore", "pipe", "inherit"],
        })
      : spawn(node, ["--conditions=@steading/source", "--import", "tsx", FIXTURES, "0"], {
          cwd: dirname(FIXTURES),
          env: plainEnvironment(),
          stdio: ["ignore", "pipe", "inherit"],
        });
  const { mcp } = JSON.parse(await firstLine(child)) as { readonly mcp: string };
  return {
    // The referee changes the host name to see whether we notice, and knows only this one.
    url: mcp.replace("127.0.0.1", "localhost"),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}

function firstLine({ stdout, ...child }: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (stdout === null) return reject(new Error("The fixtures have no output to read"));
    createInterface({ input: stdout })
      .once("line", resolve)
      .once("close", () => {
        reject(new Error(`The fixtures ended with ${child.exitCode} before they listened`));
      });
  });
}
