import type { ReadFunction } from "./modbus-request.ts";
import type { Metric } from "./register-mapping.ts";

/** Neighbouring metrics of one function, read with one request. */
export interface Block {
  readonly fc: ReadFunction;
  readonly address: number;
  readonly quantity: number;
  readonly metrics: readonly Metric[];
}

/** How one device is read. It remembers what the device refused. */
export interface BlockPlan {
  readonly blocks: readonly Block[];
  /** The device will not give this block: the smaller ones to read instead, from here on. Empty: it is as small as can be. */
  refused(block: Block): readonly Block[];
  answered(block: Block): void;
  /** Silence says little; only the same silence in three cycles running is taken for a refusal. */
  silent(block: Block): void;
}

const MOST_GAP = 2;
const MOST_REGISTERS = 100;
const MOST_BITS = 2_000;
const SILENT_CYCLES = 3;

export function createBlockPlan(metrics: readonly Metric[]): BlockPlan {
  let blocks: readonly Block[] = merge(metrics, MOST_GAP);
  const silences = new Map<Block, number>();

  function replace(block: Block, smaller: readonly Block[]): void {
    blocks = blocks.flatMap((each) => (each === block ? smaller : [each]));
    silences.delete(block);
  }

  function refused(block: Block): readonly Block[] {
    const smaller = split(block);
    if (smaller.length > 0) replace(block, smaller);
    return smaller;
  }

  return {
    get blocks() {
      return blocks;
    },
    refused,
    answered: (block) => void silences.delete(block),
    silent(block) {
      const times = (silences.get(block) ?? 0) + 1;
      if (times < SILENT_CYCLES) silences.set(block, times);
      else {
        silences.delete(block);
        refused(block);
      }
    },
  };
}

/** First at the holes, where an address may not exist; then one by one. */
function split(block: Block): readonly Block[] {
  const atHoles = merge(block.metrics, 0);
  if (atHoles.length > 1) return atHoles;
  const single = block.metrics.map((metric) => blockOf([metric]));
  return single.length > 1 ? single : [];
}

function merge(metrics: readonly Metric[], mostGap: number): readonly Block[] {
  const sorted = metrics.toSorted((a, b) => a.fc - b.fc || a.address - b.address || a.quantity - b.quantity);
  const groups: Metric[][] = [];
  let end = 0;
  for (const metric of sorted) {
    const last = groups.at(-1);
    const [first] = last ?? [];
    const reach = Math.max(end, metric.address + metric.quantity);
    const most = metric.fc <= 2 ? MOST_BITS : MOST_REGISTERS;
    const joins =
      last && first && first.fc === metric.fc && metric.address - end <= mostGap && reach - first.address <= most;
    if (joins) last.push(metric);
    else groups.push([metric]);
    end = joins ? reach : metric.address + metric.quantity;
  }
  return groups.map(blockOf);
}

function blockOf(metrics: readonly Metric[]): Block {
  const address = Math.min(...metrics.map((metric) => metric.address));
  const end = Math.max(...metrics.map((metric) => metric.address + metric.quantity));
  const [first] = metrics;
  if (!first) throw new RangeError("A block needs a metric.");
  return { fc: first.fc, address, quantity: end - address, metrics };
}
