/**
 * @typedef {object} TestProject
 * @property {string} name
 * @property {string[]} include
 * @property {number} [timeoutMs] for a test or a hook; vitest's own limit where absent
 * @property {string[]} [setupFiles] loaded before each file's tests
 * @property {boolean} [oneFileAtATime] for files that start hubs and own the machine meanwhile
 */

/** In the order they run: what tells a mistake soonest comes first. @type {readonly TestProject[]} */
export const TEST_PROJECTS = [
  // Long enough for a machine that is busy with other things: how fast something is, no test asserts.
  { name: "unit", include: ["packages/*/src/**/*.test.ts", "tools/**/*.test.ts"], timeoutMs: 60_000 },
  {
    name: "acceptance",
    include: ["test/{acceptance,faults}/**/*.test.ts"],
    timeoutMs: 60_000,
    oneFileAtATime: true,
    setupFiles: ["test/support/record-answers.ts"],
  },
  // Somebody else's programs, fetched first; a minute and a half on a machine that is busy with other things.
  { name: "conformance", include: ["test/conformance/**/*.test.ts"], timeoutMs: 600_000, oneFileAtATime: true },
  // Shells of other people, so that a machine without them skips these tests and no others.
  { name: "shells", include: ["test/shells/**/*.test.ts"], timeoutMs: 60_000 },
  // Last: it looks through what all the others left behind.
  { name: "secrets", include: ["test/secrets/**/*.test.ts"], timeoutMs: 60_000 },
];
