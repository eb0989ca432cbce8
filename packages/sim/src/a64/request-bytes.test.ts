import { expect, test } from "vitest";
import { toRequestBytes } from "./request-bytes.ts";

const text = (...args: Parameters<typeof toRequestBytes>): string => toRequestBytes(...args).toString("utf8");

test("a question is asked with httpx's own lines in its own order", () => {
  const headers = [["Authorization", "Bearer t0"]] as const;
  const query = { status: "online", zone: "North Bench", limit: undefined };
  expect(text("pi:3000", { method: "GET", path: "/api/equipment", headers, query })).toBe(
    "GET /api/equipment?status=online&zone=North+Bench HTTP/1.1\r\n" +
      "Host: pi:3000\r\n" +
      "Accept: */*\r\n" +
      "Accept-Encoding: gzip, deflate\r\n" +
      "Connection: keep-alive\r\n" +
      "User-Agent: python-httpx/0.28.1\r\n" +
      "Authorization: Bearer t0\r\n" +
      "\r\n",
  );
});

test("a body is compact JSON, its length in bytes, after the caller's headers", () => {
  const json = { name: "Gießen", on: true };
  expect(text("pi:3000", { method: "PUT", path: "/api/automations/3", json })).toBe(
    "PUT /api/automations/3 HTTP/1.1\r\n" +
      "Host: pi:3000\r\n" +
      "Accept: */*\r\n" +
      "Accept-Encoding: gzip, deflate\r\n" +
      "Connection: keep-alive\r\n" +
      "User-Agent: python-httpx/0.28.1\r\n" +
      "Content-Length: 28\r\n" +
      "Content-Type: application/json\r\n" +
      "\r\n" +
      '{"name":"Gießen","on":true}',
  );
});

test("a POST without a body has a length of 0 in second place and no type", () => {
  expect(text("pi:3000", { method: "POST", path: "/api/automations/3/toggle" })).toContain(
    "Host: pi:3000\r\nContent-Length: 0\r\nAccept: */*\r\n",
  );
  expect(text("pi:3000", { method: "POST", path: "/api/automations/3/toggle" })).not.toContain("Content-Type");
  expect(text("pi:3000", { method: "DELETE", path: "/api/automations/3" })).not.toContain("Content-Length");
});

test("headers of the caller replace the defaults and come after them", () => {
  const headers = [
    ["Authorization", "Bearer k"],
    ["Content-Type", "application/json"],
    ["Accept", "application/json, text/event-stream"],
  ] as const;
  expect(text("pi:3001", { method: "POST", path: "/mcp", headers, json: {} })).toBe(
    "POST /mcp HTTP/1.1\r\n" +
      "Host: pi:3001\r\n" +
      "Accept-Encoding: gzip, deflate\r\n" +
      "Connection: keep-alive\r\n" +
      "User-Agent: python-httpx/0.28.1\r\n" +
      "Authorization: Bearer k\r\n" +
      "Content-Type: application/json\r\n" +
      "Accept: application/json, text/event-stream\r\n" +
      "Content-Length: 2\r\n" +
      "\r\n" +
      "{}",
  );
});

test("times in a query are quoted as Python quotes them", () => {
  const query = { from: "2026-03-01T06:00:00+04:00", limit: 5 };
  expect(text("pi", { method: "GET", path: "/h", query })).toContain(
    "GET /h?from=2026-03-01T06%3A00%3A00%2B04%3A00&limit=5 HTTP/1.1\r\n",
  );
});
