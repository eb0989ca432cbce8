import { get, type RequestOptions } from "node:https";
import { afterEach, expect, test } from "vitest";
import { selfSigned } from "../testing/self-signed.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";

let shell: TestShell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

function fetchOverTls(url: string, options: RequestOptions): Promise<{ status: number; challenge: string }> {
  return new Promise((resolve, reject) => {
    const request = get(url, { ...options, agent: false }, (res) => {
      res.resume();
      res.on("end", () => resolve({ status: res.statusCode ?? 0, challenge: res.headers["www-authenticate"] ?? "" }));
    });
    request.on("error", reject);
  });
}

test("a listener with a certificate encrypts, and speaks of itself with https", async () => {
  const { cert, key } = selfSigned();
  shell = await startShell();
  const { url, port } = await shell.server.listen({ host: "127.0.0.1", port: 0, tls: { cert, key } });
  expect(url).toBe(`https://127.0.0.1:${port}`);
  expect(await fetchOverTls(`${url}/health`, { ca: cert })).toMatchObject({ status: 200 });
  const { status, challenge } = await fetchOverTls(`${url}/mcp`, { ca: cert });
  expect(status).toBe(401);
  expect(challenge).toContain(`resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`);
  await expect(fetchOverTls(`${url}/health`, {})).rejects.toThrow();
  await expect(fetch(url.replace("https", "http"))).rejects.toThrow();
});

// @proves mcp.address.off-loopback-transport-guard
test("off loopback a certificate is protection enough", async () => {
  shell = await startShell({ allowedHosts: ["hub.lan"] });
  const { server } = shell;
  await expect(server.listen({ host: "0.0.0.0", port: 0 })).rejects.toMatchObject({ code: "LISTEN_INSECURE" });
  // Not listened on for real: only loopback is opened in tests, so a key that does not fit has to stop it afterwards.
  const tls = { cert: selfSigned().cert, key: selfSigned().key };
  await expect(server.listen({ host: "0.0.0.0", port: 0, tls })).rejects.toMatchObject({ code: "LISTEN_REFUSED" });
});

test("a certificate that does not read is an error that names what to look at", async () => {
  shell = await startShell();
  const at = { host: "127.0.0.1", port: 0, setting: "listen[0].tls", tls: { cert: "nonsense", key: "nonsense" } };
  await expect(shell.server.listen(at)).rejects.toMatchObject({
    code: "LISTEN_REFUSED",
    details: { setting: "listen[0].tls" },
  });
});
