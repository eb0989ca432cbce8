import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const packages = join(import.meta.dirname, "../..");
/** What a hub is made of. Simulated places, the command line and the web console are outside it. */
const HUB = ["kernel", "subjects", "store", "server", "lamp", "ebus", "farm", "devices", "orchestrator"];

/** Lines of production code that match, as `package/file: line`. */
function linesLike(pattern: RegExp, names: readonly string[], except: readonly string[] = []): string[] {
  return names.flatMap((name) => {
    const root = join(packages, name, "src");
    return sourcesBelow(root)
      .filter((file) => !except.includes(`${name}/${file}`))
      .flatMap((file) =>
        readFileSync(join(root, file), "utf8")
          .split("\n")
          .filter((line) => pattern.test(line) && !/^\s*(?:\/\/|\*|\/\*)/.test(line))
          .map((line) => `${name}/${file}: ${line.trim()}`),
      );
  });
}

function sourcesBelow(root: string): string[] {
  try {
    return readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".ts") && !/\.(?:test|fixture)\.ts$/.test(file) && !/(?:^|\/)testing\//.test(file),
    );
  } catch {
    return []; // a package that the design has and that is not built
  }
}

test("the scan sees what it looks for", () => {
  expect(sourcesBelow(join(packages, "kernel/src"))).toContain("clock.ts");
  expect(linesLike(/setTimeout\(/, ["kernel"])).toEqual([
    "kernel/real-clock.ts: const handle = setTimeout(fire, after);",
  ]);
});

// @proves kernel.clock.taken-by-every-component
test("nothing in a hub asks the machine for the time or starts a timer, but the one real clock", () => {
  const machineTime = /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(|\bset(?:Timeout|Interval)\(|process\.hrtime/;
  expect(linesLike(machineTime, HUB, ["kernel/real-clock.ts"])).toEqual([]);
});

// @proves kernel.part.only-server-opens-ports
test("only the server listens", () => {
  const listens = /\bcreate(?:Secure)?Server\b|\bnew (?:WebSocketServer|Server)\(|from "(?:ws|fastify|aedes)"/;
  const speaksHttp = /from "(?:node:https?|node:http2)"/;
  const others = HUB.filter((name) => name !== "server");
  expect(linesLike(listens, others)).toEqual([]);
  // Asking somebody else's core over HTTP is no listening; these files are held to the first rule like all others.
  expect(linesLike(speaksHttp, others, ["farm/bridge/core-http.ts"])).toEqual([]);
  expect(linesLike(listens, ["server"])).not.toEqual([]);
  expect(linesLike(speaksHttp, ["server"])).not.toEqual([]);
});

// @proves kernel.error.never-told-apart-by-message
test("nobody decides by what an error says", () => {
  const decides =
    /\.message\s*(?:[!=]==?|\.(?:includes|startsWith|endsWith|match|indexOf|search)\()|\.(?:test|exec)\([^)]*\.message\)/;
  // What the validator found is no error: its default sentence is put into words of ours there.
  const except = ["kernel/argument-problems.ts"];
  expect(linesLike(decides, [...HUB, "steading"], except)).toEqual([]);
});
