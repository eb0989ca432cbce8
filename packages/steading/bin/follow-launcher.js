// Loaded by the launcher into the process that runs the source. A launcher that is killed outright cannot pass that on,
// and a hub that outlives it would hold the data directory without anybody knowing.
import { isMainThread } from "node:worker_threads";

if (isMainThread && process.channel) {
  process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
  process.channel.unref();
}
