// The one entry behind every npm script: `node tools/run.mjs start|test|check|bench|build|format [arguments]`.
// No top-level await here: an old Node must be able to parse this file, or it answers with a syntax error instead of
// the sentence below.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `Steading needs Node 20.19 or later and this is ${process.version}; https://nodejs.org has a newer one.`,
  );
  process.exit(1);
}
import("./commands.mjs")
  .then(({ runCommand }) => runCommand(process.argv.slice(2)))
  .then(
    (code) => {
      process.exitCode = code;
    },
    (error) => {
      console.error(error);
      process.exitCode = 1;
    },
  );
