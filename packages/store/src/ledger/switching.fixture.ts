import { openSmallHub, say } from "../kill/small-hub.fixture.ts";

// Switches a relay on and off through the real door and prints what became of each, for whoever disturbs its disk.
//   <dir> <wires> <times>
const [dir = "", wires = "", times = "0"] = process.argv.slice(2);
const hub = await openSmallHub({ dir, wires, relays: 1 });
say("open");
for (let n = 0; n < Number(times); n++) {
  const on = n % 2 === 0;
  const what = `${n} ${on ? "on" : "off"}`;
  try {
    const { receipt } = await hub.perform({ relay: 0, key: `key-${n}`, on });
    say(`${what} ${receipt.stage} ${receipt.action}`);
  } catch (error) {
    say(`${what} refused ${error instanceof Error && "code" in error ? String(error.code) : String(error)}`);
  }
}
const { unrecordedReservations, unrecordedOutcomes } = hub.door.counters.ledger;
say(`counted ${unrecordedReservations} ${unrecordedOutcomes} ${hub.store.counters().ledger.reserved}`);
await hub.store.close();
