import type { Caller } from "@steading/kernel";
import { describe, expect, test } from "vitest";
import { isSameOrBelow, scopeFit } from "./path-scope.ts";

const caller = (pathPrefixes?: readonly string[]): Caller => ({
  principal: "anna",
  role: "operator",
  transport: "internal",
  correlation: "c",
  ...(pathPrefixes === undefined ? {} : { scope: { pathPrefixes } }),
});

describe("path scope", () => {
  test("without prefixes everything is inside, with an empty list nothing is", () => {
    expect(scopeFit(caller(), "/barn")).toBe("inside");
    expect(scopeFit(caller([]), "/barn")).toBe("outside");
  });

  test("whole steps count: /barn does not open /barn2", () => {
    expect(scopeFit(caller(["/barn"]), "/barn/fan")).toBe("inside");
    expect(scopeFit(caller(["/barn/"]), "/barn[7]")).toBe("inside");
    expect(scopeFit(caller(["/barn"]), "/barn2")).toBe("outside");
  });

  test("what leads to a prefix is on the way", () => {
    expect(scopeFit(caller(["/farm/barn"]), "/")).toBe("onTheWay");
    expect(scopeFit(caller(["/farm/barn"]), "/farm")).toBe("onTheWay");
    expect(scopeFit(caller(["/farm/barn"]), "/heating")).toBe("outside");
  });

  test("an attribute belongs to its property, and everything lies below the root", () => {
    expect(isSameOrBelow("/a/b@unit", "/a/b")).toBe(true);
    expect(isSameOrBelow("/anything", "/")).toBe(true);
    expect(isSameOrBelow("/Demo2", "/Demo")).toBe(false);
  });
});
