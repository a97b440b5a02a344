// The forms of new timers, alarms and intervals. The relay serves their fields, and the page draws each of them: one
// that it knows with its own words and controls, and any other by what the relay says of it.

import { give } from "./act.js";
import { load } from "./api.js";
import { control, daysControl, flagControl, lengthControl, textControl } from "./controls.js";
import { button, byId, field, fill, form, h, keepList, refusal, select, write } from "./dom.js";
import { tr } from "./language.js";
import { valueText } from "./setting.js";
import { store } from "./store.js";
import { english, lengthText, sentence, timeOfDayText } from "./words.js";

const number = (value, min) => ({ type: "number", inputmode: "numeric", value, min });
const length = (label, seconds) => ({
  label, control: () => lengthControl(seconds), hint: tr("Digits move up: 130 is 1:30, and 20000 is 2 hours.") });
const NAME = { label: tr("Name, if you like"), input: { maxlength: 40 }, isWide: true };

/** What the page knows of a field: another control, or the attributes of an input, or the choices besides none. */
const KNOWN = {
  timer: { seconds: length(tr("Length"), 600), name: NAME },
  alarm: {
    time: { label: tr("Time"), input: { type: "time", value: "07:00" } },
    days: { label: tr("Rings"), control: daysControl },
    name: NAME,
    tune: { label: tr("Sound"), none: tr("the signal of timers") },
    rise: { label: tr("Full volume"), none: tr("at once"), choices: [
      ["1min", tr("over 1 minute")], ["5min", tr("over 5 minutes")], ["15min", tr("over 15 minutes")]] },
  },
  interval: {
    seconds: length(tr("Every"), 300),
    work: { label: tr("Work, in seconds"), input: number(30, 1) },
    rest: { label: tr("Rest, in seconds"), input: number(10, 0) },
    prepare: { label: tr("Before the first round, in seconds"), input: number(10, 0) },
    rounds: { label: tr("Rounds (empty: no end)"), input: number(8, 1) },
    countdown: { label: tr("Seconds counted down"), input: number(3, 0) },
    words: { label: tr("The voice says the phases"), isWide: true },
  },
};

const spaced = (key) => key.replaceAll("_", " ");
const labelOf = (key) => key[0].toUpperCase() + spaced(key.slice(1));

function makeControl({ required, help, argument, choices }, { none = tr("none"), input, ...known }) {
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
  const told = [help, isWritten && `write ${allowed}`].filter(Boolean).map(sentence).join(" ");
  const hint = known ? known.hint : told && english(told);
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
    const missing = asked.map(({ key, control }) => !(key in given) && control.missing).find(Boolean);
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
      close && button(tr("Leave it as it is"), close)));
  const update = (now) => {
    for (const { key, choices } of now) {
      if (choices) parts.find((part) => part.key === key).control.offer(choices);
    }
  };
  return { element, grid, parts, send, update };
}

const alarmIsSet = ({ time }) => tr("The alarm is set for {time}.", { time: timeOfDayText(time) });

const FORMS = {
  timer(fields) {
    const made = commandForm("timer", fields, tr("Start the timer"),
      ({ seconds }) => tr("A timer of {length} runs.", { length: lengthText(seconds) }));
    const quick = [1, 3, 5, 10, 20, 30].map((minutes) => button(`${minutes} min`,
      () => made.send({ seconds: minutes * 60 }), { "aria-label": tr("Start a timer of {minutes} min", { minutes }) }));
    const row = h("div", { class: "row quick", role: "group", "aria-label": tr("Start a timer at once") }, ...quick);
    return { ...made, element: h("div", {}, row, made.element) };
  },
  alarm: (fields) => commandForm("alarm", fields, tr("Set the alarm"), alarmIsSet, { replace: undefined }),
  interval(fields) {
    const made = commandForm("interval", fields, tr("Start the interval"), () => tr("The interval runs."),
      { replace: true });
    const kind = select([["plain", tr("a signal again and again")], ["rounds", tr("rounds of work and rest")]],
      "plain");
    const choose = () => {
      const isPlain = kind.value === "plain";
      for (const { key, elements: [main] } of made.parts) main.hidden = (key === "seconds") !== isPlain;
    };
    kind.addEventListener("change", choose);
    choose();
    const kinds = field(tr("Kind"), kind);
    kinds.classList.add("whole");
    made.grid.prepend(kinds);
    return made;
  },
};

const shape = (fields) => JSON.stringify(fields.map((each) => ({ ...each, choices: Boolean(each.choices) })));

/** The fields of a command; undefined while they are not known. */
function fieldsOf(command) {
  const tunes = store.settings?.get("announce.chime")?.choices?.filter((name) => name !== "none") ?? [];
  const choices = tunes.map((tune) => [tune, valueText("announce.chime", tune)]);
  return store.fields.get(command)?.map((each) => (each.key === "tune" ? { ...each, choices } : each));
}

/** What a command was given for a timer or an alarm: the same again makes it anew. */
export const planOf = (command, record) => Object.fromEntries((store.fields.get(command) ?? [])
  .map(({ key }) => [key, record[key]]).filter(([, value]) => value !== undefined));

/** The form in which an alarm is changed. */
export function changeForm(alarm, close) {
  const made = commandForm("alarm", fieldsOf("alarm"), tr("Save"), alarmIsSet, { replace: alarm.number }, close);
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
    if (key === "rise") return tr("rise {length}", { length: value });
    return `${spaced(key)} ${argument === "LENGTH" && typeof value === "number" ? lengthText(value) : value}`;
  };
  return (store.fields.get(command) ?? []).filter(({ key }) => record[key] && !TOLD.includes(key)).map(text);
}
