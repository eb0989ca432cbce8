import { expect, test } from "vitest";
import { missingBuilds, readLock } from "./complete-lock.mjs";

test("the committed lock lists the builds of every platform, so that a clean install accepts it", () => {
  const { packages } = readLock(new URL("../package-lock.json", import.meta.url));
  expect(missingBuilds(packages)).toEqual([]);
});

test("a build that is not there is found, with its platform read off its name", () => {
  const packages = {
    "node_modules/tool": { dev: true, optionalDependencies: { "@tool/linux-arm64-musl": "1.2.3", plain: "1.0.0" } },
  };
  expect(missingBuilds(packages)).toEqual([
    [
      "node_modules/@tool/linux-arm64-musl",
      { version: "1.2.3", cpu: ["arm64"], dev: true, libc: ["musl"], optional: true, os: ["linux"] },
    ],
  ]);
});

test("a build that lies above the package which wants it is not missing", () => {
  const packages = {
    "node_modules/a/node_modules/b": { optionalDependencies: { "b-linux-x64": "1.0.0" } },
    "node_modules/b-linux-x64": {},
  };
  expect(missingBuilds(packages)).toEqual([]);
});
