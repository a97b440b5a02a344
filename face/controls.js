// Controls of forms: each has an element, the part of it that gets the focus, and a value.

import { button, field, h, newId, select } from "./dom.js";
import { daysOf, daysText, RANGES, readTimes, WEEKDAYS } from "./words.js";

/** One that is an element of its own. A value that is none of the choices becomes one. */
export const control = (element) => ({
  element, focus: element,
  get value() {
    const text = element.value.trim();
    return text && element.type === "number" ? Number(text) : text;
  },
  set value(text) {
    const isNone = element.options && ![...element.options].some((option) => option.value === text);
    if (isNone) element.append(h("option", { value: text }, text));
    element.value = text;
  },
});

export const textControl = (attributes) => control(h("input", {
  type: "text", autocomplete: "off", spellcheck: "false", dir: "auto", ...attributes }));

/** A choice can be kept as soon as it is made. */
export const choiceControl = ({ choices, value }) => Object.assign(
  control(select(choices.includes(value) ? choices : [value, ...choices], value)), { isChoice: true });

/** Its value is true or false. */
export function flagControl(checked) {
  const box = h("input", { type: "checkbox", checked });
  return { element: box, focus: box, get value() { return box.checked; } };
}

/** A length in minutes and seconds, as a number of seconds. */
export function lengthControl(legend, minutes) {
  const input = (unit, attributes) => h("input", { type: "number", inputmode: "numeric", min: 0, step: "any",
    "aria-label": `${legend}: ${unit}`, ...attributes });
  const minute = input("minutes", { max: 44_640, value: minutes });
  const second = input("seconds", { max: 2_678_400, placeholder: "0" });
  const unit = (words) => h("span", { "aria-hidden": "true" }, words);
  return {
    element: h("fieldset", { class: "plain length" }, h("legend", {}, legend), minute, unit("min"), second, unit("s")),
    focus: minute, isGroup: true,
    get value() { return Number(minute.value) * 60 + Number(second.value); },
  };
}

/** The days of an alarm: the next one, some of each week, or a date. */
export function daysControl() {
  const kind = select([["", "the next time"], ...RANGES, ["days", "on these days"], ["date", "on a date"]], "");
  const boxes = WEEKDAYS.map(([day]) => [day, h("input", { type: "checkbox", id: newId("day") })]);
  const some = h("fieldset", { class: "plain days", hidden: true }, h("legend", { class: "unseen" }, "Days"),
    ...boxes.map(([day, box]) =>
      h("span", {}, box, h("label", { for: box.id }, day[0].toUpperCase() + day.slice(1)))));
  const date = h("input", { type: "date" });
  const dated = field("Date", date);
  dated.hidden = true;
  kind.addEventListener("change", () => {
    some.hidden = kind.value !== "days";
    dated.hidden = kind.value !== "date";
  });
  return {
    element: kind, focus: kind, extra: [some, dated],
    get value() {
      if (kind.value === "date") return date.value;
      if (kind.value !== "days") return kind.value;
      return boxes.filter(([, box]) => box.checked).map(([day]) => day).join(", ");
    },
    set value(text) {
      const isDate = /^\d/.test(text);
      const isRange = RANGES.some(([key]) => key === text);
      if (!text || text === "once") kind.value = "";
      else kind.value = isDate ? "date" : isRange ? text : "days";
      if (isDate) date.value = text;
      const days = kind.value === "days" ? daysOf(text) : [];
      for (const [day, box] of boxes) box.checked = days.includes(day);
      kind.dispatchEvent(new Event("change"));
    },
    /** What is still to be chosen, as a sentence. */
    get missing() {
      if (!kind.value || this.value) return "";
      return kind.value === "date" ? "Choose a date." : "Choose a day.";
    },
  };
}

/** Times without days are of every day. */
const DAYS = [["", "every day"], ...RANGES.slice(1), ...WEEKDAYS];
const two = (number) => String(number).padStart(2, "0");
const timeOf = (minute) => `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;

/** Rows of days, from and to, and a level if `hasLevel`. */
export function timesControl(text, hasLevel) {
  const rows = h("div", { class: "times" });
  const changed = () => rows.dispatchEvent(new Event("input", { bubbles: true }));
  const add = button("Add a time", () => {
    addRow({ range: "", from: 22 * 60, to: 7 * 60, level: hasLevel ? "-12dB" : "" });
    rows.lastElementChild.querySelector("select").focus();
    changed();
  });
  const silent = (words) => h("span", { "aria-hidden": "true" }, words);
  function addRow({ range, from, to, level }) {
    const days = select(DAYS.some(([key]) => key === range) ? DAYS : [[range, daysText(range)], ...DAYS], range);
    days.setAttribute("aria-label", "Days");
    const time = (name, minute) =>
      h("input", { type: "time", "aria-label": name, required: true, value: timeOf(minute % 1440) });
    const [start, end] = [time("From", from), time("To", to)];
    const decibels = h("input", {
      type: "number", max: 0, min: -60, step: "any", "aria-label": "Level in dB", value: parseFloat(level) });
    const remove = button("Remove", () => {
      row.remove();
      add.focus();
      changed();
    }, { "aria-label": "Remove this time" });
    const row = h("div", { class: "row", role: "group", "aria-label": "A time" },
      days, start, silent("to"), end, ...hasLevel ? [decibels, silent("dB")] : [], remove);
    row.written = () => [days.value, `${start.value}-${end.value === "00:00" ? "24:00" : end.value}`,
      hasLevel && `${decibels.value}dB`].filter(Boolean).join(" ");
    rows.append(row);
  }
  const made = {
    element: h("div", { role: "group" }, rows, add), focus: add, isGroup: true,
    get value() { return [...rows.children].map((row) => row.written()).join(", ") || "none"; },
    set value(text) { rows.replaceChildren(); readTimes(text).forEach(addRow); },
  };
  made.value = text;
  return made;
}
