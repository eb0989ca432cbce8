import { createServer as createNetServer, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { startShell } from "./testing/start-shell.ts";

// @proves mcp.address.taken-port-error
test("a taken port is an error that names the setting", async () => {
  const holder = createNetServer();
  await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
  const { port } = holder.address() as AddressInfo;
  const shell = await startShell();
  await expect(shell.server.listen({ host: "127.0.0.1", port, setting: "server.port" })).rejects.toMatchObject({
    code: "PORT_TAKEN",
    message: `Port ${port} is taken; set server.port or stop the other process.`,
    details: { port, setting: "server.port" },
  });
  await shell.close();
  await new Promise((resolve) => holder.close(resolve));
});

// @proves mcp.endpoint.off-loopback-needs-allow-list mcp.endpoint.off-loopback-needs-auth mcp.address.off-loopback-transport-guard
test("an address off loopback is refused unless everything it needs is said", async () => {
  const shell = await startShell();
  await expect(shell.server.listen({ host: "0.0.0.0", port: 0 })).rejects.toMatchObject({ code: "LISTEN_INSECURE" });
  await expect(shell.server.listen({ host: "0.0.0.0", port: 0, insecure: true })).rejects.toMatchObject({
    code: "LISTEN_INSECURE",
  });
  await shell.close();
  const open = await startShell({
    allowedHosts: ["hub.example"],
    authenticator: { anonymous: { principal: "anybody", role: "viewer" }, authenticate: async () => undefined },
  });
  await expect(open.server.listen({ host: "0.0.0.0", port: 0, insecure: true })).rejects.toMatchObject({
    code: "LISTEN_INSECURE",
  });
  await open.close();
});

test("closing twice is closing once, and no timer is left", async () => {
  const shell = await startShell();
  shell.dispatcher.touch();
  await shell.close();
  await shell.close();
  expect(shell.clock.pending).toBe(0);
});
