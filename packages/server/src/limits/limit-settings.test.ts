import { millis } from "@steading/kernel";
import { expect, test } from "vitest";
import { LimitSettings, limitsFrom } from "./limit-settings.ts";
import { DEFAULT_LIMITS } from "./limits.ts";

/** The rows of the contract's table, by what they are called in the settings. */
const TABLE = {
  argumentElements: 18,
  bodyBytes: 1,
  batchMessages: 2,
  calls: 3,
  callsPerPrincipal: 4,
  callsPerSecond: 5,
  callBurst: 6,
  sessions: 7,
  sessionsPerPrincipal: 8,
  streams: 9,
  streamsPerPrincipal: 10,
  resultTextBytes: 11,
  resultBinaryBytes: 12,
  headerBytes: 13,
  headersTimeoutMs: 14,
  requestTimeoutMs: 15,
  keepAliveTimeoutMs: 16,
  descriptionBytes: 17,
};

// @proves mcp.limits.configurable
test("every limit of the contract's table is a setting", () => {
  const { headersTimeoutMs, requestTimeoutMs, keepAliveTimeoutMs, argumentElements, ...numbers } = TABLE;
  expect(LimitSettings.parse(TABLE).argumentElements).toBe(argumentElements);
  expect(limitsFrom(LimitSettings.parse(TABLE))).toEqual({
    ...numbers,
    headersTimeout: millis(headersTimeoutMs),
    requestTimeout: millis(requestTimeoutMs),
    keepAliveTimeout: millis(keepAliveTimeoutMs),
  });
});

test("every limit there is has a setting, and a settings file without them changes none", () => {
  const names = Object.keys(LimitSettings.shape).map((name) => name.replace(/Ms$/, ""));
  expect(names.toSorted()).toEqual(["argumentElements", ...Object.keys(DEFAULT_LIMITS)].toSorted());
  expect(limitsFrom(LimitSettings.parse({}))).toEqual({});
});

test.each([{ bodyBytes: 0 }, { calls: -1 }, { streams: 1.5 }, { tasks: "9" }, { taskAgeMs: 2 ** 31 }, { unknown: 1 }])(
  "%j is refused",
  (given) => {
    expect(LimitSettings.safeParse(given).success).toBe(false);
  },
);

test("headers cannot be given more time than the whole request", () => {
  expect(LimitSettings.safeParse({ headersTimeoutMs: 70_000 }).success).toBe(false);
  expect(LimitSettings.safeParse({ headersTimeoutMs: 70_000, requestTimeoutMs: 80_000 }).success).toBe(true);
});
