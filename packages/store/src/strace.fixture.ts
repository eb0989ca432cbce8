import { spawnSync } from "node:child_process";

const STRACE = "strace";

/** Whether this machine lets us stand between a process and its disk. */
export const hasStrace = spawnSync(STRACE, ["-f", "--seccomp-bpf", "-o", "/dev/null", "true"]).status === 0;

/** A command that runs another one and answers for the disk, by the rules of strace's `inject`, in these files only. */
export function disturbing(files: readonly string[], ...rules: readonly string[]): string[] {
  const injected = rules.flatMap((rule) => ["-e", `inject=${rule}`]);
  const paths = files.flatMap((file) => ["-P", file]);
  const calls = ["-e", "trace=pwrite64,fsync,fdatasync", "-e", "signal=none"];
  return [STRACE, "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", ...paths, ...calls, ...injected];
}
