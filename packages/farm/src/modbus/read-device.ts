import { SteadingError } from "@steading/kernel";
import type { Block, BlockPlan } from "./block-plan.ts";
import type { Bus } from "./bus.ts";
import type { Priority } from "./bus-queue.ts";
import type { ModbusReply } from "./modbus-request.ts";
import type { Metric } from "./register-mapping.ts";
import { registerValue, type Calibration, type RegisterValue } from "./register-value.ts";

/** One metric as one cycle saw it. Undefined: the device gave none, or one that says there is none. */
export interface MetricReading {
  readonly metric: Metric;
  readonly value: RegisterValue | undefined;
}

export interface ReadDeviceOptions {
  readonly bus: Pick<Bus, "ask">;
  readonly unit: number;
  readonly plan: BlockPlan;
  readonly calibration: Calibration;
  readonly priority: Priority;
  readonly retries?: number;
  readonly probe?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Reads all blocks of a device. The first silence ends it: each further block of a dead unit would cost its neighbours
 * another time-out. A refused block is read in smaller pieces at once.
 */
export async function readDevice(options: ReadDeviceOptions): Promise<readonly MetricReading[]> {
  const { plan } = options;
  const readings: MetricReading[] = [];
  const todo = [...plan.blocks];
  let refusal: SteadingError | undefined;
  for (let block = todo.shift(); block; block = todo.shift()) {
    try {
      readings.push(...(await readBlock(block, options)));
      plan.answered(block);
    } catch (error) {
      if (!(error instanceof SteadingError) || error.code !== "DEVICE_EXCEPTION") {
        if (error instanceof SteadingError && error.code === "DEVICE_TIMEOUT") plan.silent(block);
        throw error;
      }
      refusal = error;
      const smaller = plan.refused(block);
      if (smaller.length > 0) todo.unshift(...smaller);
      else readings.push(...block.metrics.map((metric) => ({ metric, value: undefined })));
    }
  }
  // A device that refuses everything answers, but gives nothing: that is its failure, not a reading.
  if (refusal && readings.every((reading) => reading.value === undefined)) throw refusal;
  return readings;
}

async function readBlock(block: Block, options: ReadDeviceOptions): Promise<readonly MetricReading[]> {
  const { bus, unit, calibration, priority, retries, probe = false, signal } = options;
  const { fc, address, quantity } = block;
  const reply = await bus.ask(
    { kind: "read", unit, fc, address, quantity },
    { priority, probe, ...(retries === undefined ? {} : { retries }), signal },
  );
  return block.metrics.map((metric) => ({ metric, value: valueIn(reply, block, metric, calibration) }));
}

function valueIn(
  reply: ModbusReply,
  block: Block,
  metric: Metric,
  calibration: Calibration,
): RegisterValue | undefined {
  const from = metric.address - block.address;
  if (reply.kind === "bits") {
    const bit = reply.bits[from];
    return bit === undefined ? undefined : Number(bit);
  }
  if (reply.kind !== "words") return undefined;
  return registerValue(metric, reply.words.slice(from, from + metric.quantity), calibration);
}
