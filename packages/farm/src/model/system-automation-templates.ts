import type { Json, JsonObject } from "@steading/kernel";
import type { AutomationTemplate, Severity } from "./rows.ts";

/** Ten programs to begin with. They tell rather than switch: which pump is meant, only the place knows. */
export const SYSTEM_AUTOMATION_TEMPLATES: readonly AutomationTemplate[] = [
  template(
    1,
    "High Temperature Alert",
    "Monitoring",
    [when("temperature", "gt", 35)],
    [alert("warning", "The temperature is above 35 °C")],
  ),
  template(
    2,
    "Low Temperature Alert",
    "Monitoring",
    [when("temperature", "lt", 5)],
    [alert("warning", "The temperature is below 5 °C")],
  ),
  template(
    3,
    "High Humidity Alert",
    "Monitoring",
    [when("humidity", "gt", 90)],
    [alert("info", "The humidity is above 90 %")],
  ),
  template(
    4,
    "Dry Soil Alert",
    "Monitoring",
    [when("moisture", "lt", 20)],
    [alert("warning", "The soil moisture is below 20 %")],
  ),
  template(
    5,
    "Low Water Level",
    "Safety",
    [when("level", "lt", 10)],
    [alert("critical", "The water level is below 10 %")],
  ),
  template(
    6,
    "Overpressure",
    "Safety",
    [when("pressure", "gt", 6)],
    [alert("critical", "The pressure is above 6 bar")],
  ),
  template(
    7,
    "Ventilation Due",
    "Control",
    [when("temperature", "gt", 30), when("humidity", "gt", 80)],
    [alert("info", "It is hot and damp: ventilation is due")],
  ),
  template(
    8,
    "Maintenance Reminder",
    "Maintenance",
    [],
    [alert("info", "Maintenance is due"), log("The maintenance reminder was given")],
  ),
  template(9, "Hand Check", "Manual", [], [alert("info", "Somebody asked for a look around")]),
  template(10, "Log Entry", "Logging", [], [log("The log entry was made")]),
];

function template(
  id: number,
  name: string,
  category: string,
  conditions: readonly Json[],
  actions: readonly JsonObject[],
): AutomationTemplate {
  const description = `${category}: ${name}`;
  return {
    id,
    name,
    description,
    category,
    conditions,
    condition_logic: "AND",
    actions,
    is_system: true,
    created_at: 0,
    updated_at: 0,
  };
}

function when(field: string, operator: string, value: number): JsonObject {
  return { field, operator, value };
}
function alert(severity: Severity, message: string): JsonObject {
  return { type: "alert", severity, message };
}
function log(message: string): JsonObject {
  return { type: "log", message };
}
