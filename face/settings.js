// All settings, and the alarms of the configuration.

import { give } from "./act.js";
import { button, byId, h, keepList, named, newId, show, write } from "./dom.js";
import { tr, trEach } from "./language.js";
import { controlKey, GROUPS, loadSettings, settingPart } from "./setting.js";
import { store } from "./store.js";

const alarmKey = /^alarm (.+)\.(\w+)$/s;

export function drawSettings() {
  if (!store.settings) return;
  const groups = Object.entries(GROUPS).map(([name, labels]) => ({
    name, records: Object.keys(labels).map((key) => store.settings.get(key)).filter(Boolean) }));
  const grouped = new Set(groups.flatMap(({ records }) => records));
  const records = [...store.settings.values()];
  groups.at(-1).records.push(...records.filter((each) => !grouped.has(each) && !each.key.startsWith("alarm ")));
  keepList(byId("settings"), groups.filter((group) => group.records.length), (group) => group.name, groupPart);
  drawConfigured(records);
}

function groupPart({ name }) {
  const list = h("div", {});
  const title = newId("group");
  const isFolded = name === tr("All others");
  const element = h("section", { class: isFolded ? "card wide" : "card", "aria-labelledby": title },
    h("h2", { id: title }, name), isFolded ? h("details", {}, h("summary", {}, tr("Show them")), list) : list);
  return { element, update: ({ records }) => keepList(list, records, controlKey, settingPart) };
}

function drawConfigured(records) {
  const alarms = new Map();
  for (const record of records) {
    const [, name, key] = alarmKey.exec(record.key) ?? [];
    if (name === undefined) continue;
    if (!alarms.has(name)) alarms.set(name, { name, keys: new Map() });
    alarms.get(name).keys.set(key, record);
  }
  keepList(byId("configured"), [...alarms.values()], (alarm) => alarm.name, configuredPart);
}

const TITLES = trEach({ time: "Time", days: "Days", tune: "Tune", rise: "Rises to its volume" });

function configuredPart(first) {
  const words = h("span", { class: "soft" });
  const fields = h("div", {});
  const remove = button("", async () => {
    const done = tr("What was set here for {name} is taken back.", { name: first.name });
    if (await give("setting", { key: `alarm ${first.name}` }, { done })) await loadSettings();
  });
  return {
    element: h("details", { class: "item" },
      h("summary", {}, h("strong", {}, named(first.name)), " ", words), fields, h("p", { class: "row" }, remove)),
    update({ name, keys }) {
      write(words, [keys.get("time")?.value, keys.get("days")?.value].filter(Boolean).join(", "));
      keepList(fields, [...keys].map(([key, record]) => ({ ...record, short: key })), controlKey,
        (record) => settingPart(record, TITLES[record.short]));
      const isHere = keys.get("time")?.origin === "settings" && keys.get("time")?.usual === undefined;
      show(remove, [...keys.values()].some((record) => record.origin === "settings"));
      write(remove, isHere ? tr("Remove the alarm") : tr("Back to the file"));
      remove.setAttribute("aria-label",
        isHere ? tr("Remove the alarm {name}", { name }) : tr("Back to the file: alarm {name}", { name }));
    },
  };
}
