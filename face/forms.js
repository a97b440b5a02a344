// The forms of new timers, alarms and intervals. The relay serves their fields, and the page draws each of them: one
// that it knows with its own words and controls, and any other by what the relay says of it.

import { give } from "./act.js";
import { load } from "./api.js";
import { control, daysControl, flagControl, lengthControl, textControl } from "./controls.js";
import { button, byId, field, fill, form, h, keepList, refusal, select, write } from "./dom.js";
import { store } from "./store.js";
import { lengthText, sentence, timeOfDayText } from "./words.js";

const number = (value, min) => ({ type: "number", inputmode: "numeric", value, min });
const NAME = { label: "Name, if you like", input: { maxlength: 40 }, isWide: true };

/** What the page knows of a field: another control, or the attributes of an input, or the choices besides none. */
const KNOWN = {
  timer: { seconds: { control: () => lengthControl("Length", 10) }, name: NAME },
  alarm: {
    time: { label: "Time", input: { type: "time", value: "07:00" } },
    days: { label: "Rings", control: daysControl },
    name: NAME,
    tune: { label: "Sound", none: "the signal of timers" },
    rise: { label: "Full volume", none: "at once", choices: [
      ["1min", "over 1 minute"], ["5min", "over 5 minutes"], ["15min", "over 15 minutes"]] },
  },
  interval: {
    seconds: { control: () => lengthControl("Every", 5) },
    work: { label: "Work, in seconds", input: number(30, 1) },
    rest: { label: "Rest, in seconds", input: number(10, 0) },
    prepare: { label: "Before the first round, in seconds", input: number(10, 0) },
    rounds: { label: "Rounds (empty: no end)", input: number(8, 1) },
    countdown: { label: "Seconds counted down", input: number(3, 0) },
    words: { label: "The voice says the phases", isWide: true },
  },
};

const spaced = (key) => key.replaceAll("_", " ");
const labelOf = (key) => key[0].toUpperCase() + spaced(key.slice(1));

function makeControl({ required, help, argument, choices }, { none = "none", input, ...known }) {
  if (known.control) return known.control();
  if (help && !argument) return flagControl(false);
  const options = known.choices ?? choices;
  if (options) return choicesControl(options, required ? [] : [["", none]]);
  return textControl({ required, ...argument === "N" ? number() : {}, ...input });
}

/** Of choices that may change later: what is chosen stays. */
function choicesControl(options, before) {
  const made = control(select([...before, ...options], ""));
  made.offer = (choices) => {
    const { value } = made;
    fill(made.element, ...select([...before, ...choices], value).children);
    made.value = value;
  };
  return made;
}

/** A field in a form: its key, its control, and its elements in the grid. */
function fieldPart(command, served) {
  const { key, allowed, help, argument, choices } = served;
  const known = KNOWN[command][key];
  const made = makeControl(served, known ?? {});
  const isWritten = !choices && (argument || !help);
  const hint = known ? "" : [help, isWritten && `write ${allowed}`].filter(Boolean).map(sentence).join(" ");
  const main = made.isGroup ? made.element : field(known?.label ?? labelOf(key), made.element, hint);
  const wide = made.isGroup || known?.isWide ? [main] : [];
  for (const each of [...wide, ...made.extra ?? []]) each.classList.add("whole");
  return { key, control: made, elements: [main, ...made.extra ?? []] };
}

/**
 * The form that gives a command.
 *
 * done(keys) is what the person is told then; `always` are keys that nobody is asked for. close()
 * puts the form away, when it is done or not wanted any more.
 */
function commandForm(command, fields, title, done, always = {}, close = null) {
  const parts = fields.filter(({ key }) => !(key in always)).map((each) => fieldPart(command, each));
  const error = refusal();
  async function send(given = {}) {
    const asked = parts.filter(({ elements: [main] }) => !main.hidden);
    const missing = asked.map((part) => part.control.missing).find(Boolean);
    if (missing) return write(error, missing);
    const values = asked.map((part) => [part.key, part.control.value]).filter(([, value]) => value !== "");
    const keys = { ...Object.fromEntries(values), ...always, ...given };
    const name = parts.find(({ key }) => key === "name");
    if (!await give(command, keys, { done: done(keys), error })) return;
    if (close) close();
    else if (name) name.control.value = "";
  }
  const grid = h("div", { class: "pair" }, ...parts.flatMap(({ elements }) => elements));
  const element = form({}, send, grid, error,
    h("p", { class: "row" }, h("button", { type: "submit", class: "main" }, title),
      close && button("Leave it as it is", close)));
  const update = (now) => {
    for (const { key, choices } of now) {
      if (choices) parts.find((part) => part.key === key).control.offer(choices);
    }
  };
  return { element, grid, parts, send, update };
}

const alarmIsSet = ({ time }) => `The alarm is set for ${timeOfDayText(time)}.`;

const FORMS = {
  timer(fields) {
    const made = commandForm("timer", fields, "Start the timer",
      ({ seconds }) => `A timer of ${lengthText(seconds)} runs.`);
    const quick = [1, 3, 5, 10, 20, 30].map((minutes) => button(`${minutes} min`,
      () => made.send({ seconds: minutes * 60 }), { "aria-label": `Start a timer of ${minutes} minutes` }));
    const row = h("div", { class: "row quick", role: "group", "aria-label": "Start a timer at once" }, ...quick);
    return { ...made, element: h("div", {}, row, made.element) };
  },
  alarm: (fields) => commandForm("alarm", fields, "Set the alarm", alarmIsSet, { replace: undefined }),
  interval(fields) {
    const made = commandForm("interval", fields, "Start the interval", () => "The interval runs.", { replace: true });
    const kind = select([["plain", "a signal again and again"], ["rounds", "rounds of work and rest"]], "plain");
    const choose = () => {
      const isPlain = kind.value === "plain";
      for (const { key, elements: [main] } of made.parts) main.hidden = (key === "seconds") !== isPlain;
    };
    kind.addEventListener("change", choose);
    choose();
    const kinds = field("Kind", kind);
    kinds.classList.add("whole");
    made.grid.prepend(kinds);
    return made;
  },
};

const shape = (fields) => JSON.stringify(fields.map((each) => ({ ...each, choices: Boolean(each.choices) })));

/** The fields of a command; undefined while they are not known. */
function fieldsOf(command) {
  const tunes = store.settings?.get("announce.chime")?.choices?.filter((name) => name !== "none") ?? [];
  return store.fields.get(command)?.map((each) => (each.key === "tune" ? { ...each, choices: tunes } : each));
}

/** What a command was given for a timer or an alarm: the same again makes it anew. */
export const planOf = (command, record) => Object.fromEntries((store.fields.get(command) ?? [])
  .map(({ key }) => [key, record[key]]).filter(([, value]) => value !== undefined));

/** The form in which an alarm is changed. */
export function changeForm(alarm, close) {
  const made = commandForm("alarm", fieldsOf("alarm"), "Save", alarmIsSet, { replace: alarm.number }, close);
  for (const { key, control } of made.parts) control.value = alarm[key] ?? "";
  return made;
}

/** A form stays as it is until it has other fields. */
export function drawForms() {
  for (const [command, make] of Object.entries(FORMS)) {
    const fields = fieldsOf(command);
    keepList(byId(`new-${command}`), fields ? [fields] : [], shape, make);
  }
}

export const loadFields = () => load("/v1/commands", ({ commands }) => {
  store.fields = new Map(commands.map(({ command, fields }) => [command, fields]));
  drawForms();
});

// The rows have words of their own for these.
const TOLD = ["name", "seconds", "time", "days", "tune"];

/** What else a timer or an alarm has of the fields of its command, as in `rise 5min`. */
export function details(command, record) {
  const text = ({ key, argument }) => {
    const value = record[key];
    if (value === true) return spaced(key);
    return `${spaced(key)} ${argument === "LENGTH" && typeof value === "number" ? lengthText(value) : value}`;
  };
  return (store.fields.get(command) ?? []).filter(({ key }) => record[key] && !TOLD.includes(key)).map(text);
}
