/** What is true in the house, whatever a sensor or a register says about it. */
export interface PlantState {
  outdoorC: number;
  outdoorAverageC: number;
  readonly zones: ZoneState[];
  /** In the boiler. */
  flowC: number;
  returnC: number;
  flowTargetC: number;
  cylinderC: number;
  charging: boolean;
  drawLitresPerMinute: number;
  burner: "standby" | "purging" | "igniting" | "burning" | "clearing";
  /** 0 to 1 of full power. */
  modulation: number;
  pumpOn: boolean;
  pumpRunsOnSeconds: number;
  pressureBar: number;
  collectorC: number;
  heatingSeconds: number;
  hotWaterSeconds: number;
  pumpSeconds: number;
  heatingStarts: number;
  hotWaterStarts: number;
}

export interface ZoneState {
  roomC: number;
  setpointC: number;
  /** The pump of its circuit runs. */
  heated: boolean;
  circuitFlowC: number;
  circuitTargetC: number;
}
