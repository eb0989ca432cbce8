/**
 * The knobs of the virtual house as flags, by the names the house gives them. Written down here, because help and
 * completion must not wait for the house to be loaded; a test holds this list against the house's own.
 */
export const HOUSE_KNOB_FLAGS: readonly {
  readonly name: string;
  readonly value: string;
  readonly says: string;
}[] = [
  { name: "ackMs", value: "<5-30>", says: "how long a device takes to acknowledge" },
  { name: "latencyMs", value: "<0-1000>", says: "what a slow adapter adds to each symbol" },
  { name: "unknownCommand", value: "<stub|nack>", says: "how a device answers what it does not know" },
  { name: "traffic", value: "<on|off>", says: "the traffic the devices make among themselves" },
  { name: "vr92", value: "<on|off>", says: "the VR_92 is on the wire" },
  { name: "regulator", value: "<BASV2|VRC700>", says: "who is at 15" },
  { name: "heatSource", value: "<boiler|heat-pump>", says: "who is at 08" },
  { name: "fm5Config", value: "<1-11>", says: "the configuration of the VR_71" },
  { name: "boilerError", value: "<number|none>", says: "the boiler's active error" },
  { name: "adapterInfo", value: "<on|off>", says: "the enhanced adapter can tell about itself" },
  { name: "adapterVersionLength", value: "<2|5|8>", says: "how much it tells about its version" },
  { name: "adapterJumpers", value: "<number>", says: "its jumpers, such as 0x0b" },
  { name: "dribble", value: "<on|off>", says: "each byte to a host in a segment of its own" },
  { name: "refuse", value: "<on|off>", says: "connections are taken and dropped at once" },
  { name: "dropAck", value: "[options]", says: "a device hears a command and stays silent" },
  { name: "nack", value: "[options]", says: "a device refuses a command" },
  { name: "commandCrc", value: "[options]", says: "a command arrives with a bad checksum" },
  { name: "responseCrc", value: "[options]", says: "a response has a bad checksum" },
  { name: "silence", value: "[options]", says: "a device is as if unplugged" },
  { name: "lateAnswer", value: "[options]", says: "an answer comes late (ms, part)" },
  { name: "deadLine", value: "[options]", says: "no symbol passes" },
  { name: "stuckSyn", value: "[options]", says: "nothing but SYN on the wire" },
  { name: "theft", value: "[options]", says: "an arbitration is stolen (by)" },
  { name: "ghost", value: "[options]", says: "two strangers collide (of)" },
  { name: "noise", value: "[options]", says: "bytes nobody sent (bytes, at)" },
  { name: "flipSymbol", value: "[options]", says: "a host's symbol is changed on the wire (mask)" },
  { name: "halfPair", value: "[options]", says: "the enhanced adapter stops in the middle of a pair (silentMs)" },
  { name: "lostTimerSlot", value: "[options]", says: "a timer slot is acknowledged and dropped" },
  { name: "zoneVanish", value: "[options]", says: "a zone's index answers absent (zone)" },
  { name: "lostDatagram", value: "[options]", says: "a UDP datagram is not sent" },
];

/** `latencyMs` as people type flags: `latency-ms`. */
export function flagOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
