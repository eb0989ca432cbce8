import { createPtyPort, type PtyAddress, type PtyPort } from "../house/ports/pty-port.ts";
import type { Gateway } from "./gateway.ts";

/** Serial lines straight into the segments of RTU gateways, as an adapter on a cable would be. */
export interface SerialLines {
  plug(gateway: Gateway): Promise<PtyAddress>;
  /** The adapter is pulled out: whoever has the line open loses it. */
  unplug(gateway: Gateway): Promise<void>;
  unplugAll(): Promise<void>;
}

export function createSerialLines(): SerialLines {
  const lines = new Map<Gateway, PtyPort>();

  async function unplug(gateway: Gateway): Promise<void> {
    const line = lines.get(gateway);
    lines.delete(gateway);
    await line?.stop();
  }

  return {
    async plug(gateway) {
      if (gateway.framing !== "rtu") {
        throw new Error(`Gateway ${gateway.name} speaks Modbus TCP; a serial line needs one that speaks RTU.`);
      }
      const line = lines.get(gateway) ?? createPtyPort();
      lines.set(gateway, line);
      const { port } = await gateway.start(0);
      return line.start(port);
    },
    unplug,
    async unplugAll() {
      await Promise.all([...lines.keys()].map(unplug));
    },
  };
}
