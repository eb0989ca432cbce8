import { createServer, type AddressInfo } from "node:net";

// Modbus TCP gateways that answer every read at once with words that change, as cheaply as possible: a process of its own,
// so that the hub's processor time is its own. Argument: how many gateways.

const [gateways = "1"] = process.argv.slice(2);
let answered = 0;

function answerTo(request: Buffer): Buffer {
  const count = request.readUInt16BE(10) * 2;
  const reply = Buffer.alloc(9 + count);
  request.copy(reply, 0, 0, 4);
  reply.writeUInt16BE(3 + count, 4);
  reply[6] = request[6] ?? 0;
  reply[7] = request[7] ?? 0;
  reply[8] = count;
  for (let at = 9; at < reply.length; at += 2) reply.writeUInt16BE((answered + at) & 0x3fff, at);
  answered += 1;
  return reply;
}

async function open(): Promise<number> {
  const server = createServer((socket) => {
    socket.setNoDelay(true);
    let seen = Buffer.alloc(0);
    socket.on("error", () => socket.destroy());
    socket.on("data", (piece) => {
      seen = seen.length === 0 ? piece : Buffer.concat([seen, piece]);
      for (; seen.length >= 12; seen = seen.subarray(12)) socket.write(answerTo(seen.subarray(0, 12)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

const ports = await Promise.all(Array.from({ length: Number(gateways) }, open));
process.on("disconnect", () => process.exit(0));
process.on("message", (question) => question === "answered" && process.send?.(answered));
process.send?.({ port: ports[0], ports, startMs: 0 });
