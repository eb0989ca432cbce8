import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createAnswerReader, type HttpAnswer } from "./answer-reader.ts";

function readAll(pieces: readonly Buffer[]): HttpAnswer | undefined {
  const reader = createAnswerReader();
  for (const piece of pieces) {
    const answer = reader.push(piece);
    if (answer) return answer;
  }
  return reader.end();
}

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const edges = [...new Set([0, ...places.map((place) => place % bytes.length), bytes.length])].toSorted(
    (a, b) => a - b,
  );
  return edges.slice(1).map((edge, i) => bytes.subarray(edges[i], edge));
}

const BODY = '{"status":"ok"}';
const FORMS: Record<string, { readonly bytes: Buffer; readonly reusable: boolean }> = {
  "with a length": {
    bytes: Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n${BODY}`),
    reusable: true,
  },
  "in chunks": {
    bytes: Buffer.from(
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"sta\r\nA\r\ntus":"ok"}\r\n0\r\n\r\n`,
    ),
    reusable: true,
  },
  "until the end of the connection": {
    bytes: Buffer.from(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${BODY}`),
    reusable: false,
  },
  "after an interim one": {
    bytes: Buffer.from(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n${BODY}`),
    reusable: true,
  },
};

test.each(Object.entries(FORMS))("an answer %s is read wherever it is cut", (_form, { bytes, reusable }) => {
  fc.assert(
    fc.property(fc.array(fc.nat(400), { maxLength: 20 }), (places) => {
      const answer = readAll(cut(bytes, places));
      expect(answer).toMatchObject({ status: 200, reusable });
      expect(answer?.body.toString()).toBe(BODY);
    }),
    { numRuns: 60 },
  );
});

test("a compressed body is unpacked", () => {
  const packed = gzipSync(BODY);
  const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`;
  expect(readAll([Buffer.concat([Buffer.from(head), packed])])?.body.toString()).toBe(BODY);
});

test("half an answer is none", () => {
  expect(readAll([Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{")])).toBeUndefined();
  expect(readAll([Buffer.from("HTTP/1.1 200 OK\r\nContent-")])).toBeUndefined();
});

test("what is no HTTP is refused", () => {
  expect(() => readAll([Buffer.from("SSH-2.0-OpenSSH_9.6\r\n\r\n")])).toThrow(/does not begin like HTTP/);
});
