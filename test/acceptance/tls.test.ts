import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { connect } from "node:tls";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { startHub, type HubProcess } from "../support/hub-process.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

let hub: HubProcess;
/** Whether the program that makes certificates is here; some small machines have none. */
let canMake = true;
const OPENSSL = "openssl";
const WITHOUT = "openssl is not installed, so there is no certificate";
let ca: string;
let tidy = async (): Promise<void> => {};

/** A certificate as people make one for a machine in their own house. */
function makeCertificate(cert: string, key: string): boolean {
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  try {
    execFileSync(OPENSSL, ["req", "-x509", ...made, "-keyout", key, "-out", cert, ...subject], { stdio: "ignore" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

beforeAll(async () => {
  const folder = await createTemporaryFolder();
  tidy = () => folder.remove();
  canMake = makeCertificate(folder.at("hub.pem"), folder.at("hub.key"));
  if (!canMake) return;
  ca = readFileSync(folder.at("hub.pem"), "utf8");
  const config = folder.at("steading.config.yaml");
  writeFileSync(config, stringify({ listen: [{ tls: { cert: "hub.pem", key: "hub.key" } }] }));
  hub = await startHub({ data: folder.at("data"), config });
});
afterAll(async () => {
  if (canMake) await hub.stop();
  await tidy();
});

const LIST = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/list",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
};

function listTools(trusted: string | undefined): Promise<{ status: number; body: string }> {
  const headers = {
    authorization: `Bearer ${hub.token}`,
    "content-type": "application/json",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/list",
  };
  return new Promise((resolve, reject) => {
    const options = { method: "POST", headers, agent: false, ...(trusted === undefined ? {} : { ca: trusted }) };
    const asked = request(hub.mcp, options, (res) => {
      text(res).then((body) => resolve({ status: res.statusCode ?? 0, body }), reject);
    });
    asked.on("error", reject).end(JSON.stringify(LIST));
  });
}

test("a hub whose settings name a certificate is reached by whoever trusts it, and by nobody else", async ({
  skip,
}) => {
  skip(!canMake, WITHOUT);
  expect(hub.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  const { status, body } = await listTools(ca);
  expect(status).toBe(200);
  expect(body).toContain("get_property");
  await expect(listTools(undefined)).rejects.toMatchObject({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
});

test("without encryption, or with an old one, nothing is said", async ({ skip }) => {
  skip(!canMake, WITHOUT);
  await expect(fetch(hub.mcp.replace("https:", "http:"))).rejects.toThrow();
  const old = new Promise((resolve, reject) => {
    const { port } = new URL(hub.url);
    const socket = connect({ host: "127.0.0.1", port: Number(port), ca, maxVersion: "TLSv1.1", minVersion: "TLSv1" });
    socket.on("secureConnect", () => resolve(socket.getProtocol())).on("error", reject);
  });
  await expect(old).rejects.toThrow();
});
