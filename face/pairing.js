// Pairing this browser, and the list of those that are paired.

import { act, learnPairing, tell } from "./act.js";
import { ask, load } from "./api.js";
import { button, byId, field, fill, form, h, keepList, named, refusal, write } from "./dom.js";
import { parts, tr } from "./language.js";
import { store } from "./store.js";
import { dateText, whenText } from "./words.js";

let timer;
/** What this phone is to be called: what was typed is there when the pairing is tried again. */
let called = guessedName();

function guessedName() {
  const agent = navigator.userAgent;
  const kind = [[/iPhone/, "iPhone"], [/iPad/, "iPad"], [/Android.*Mobile/, tr("Android phone")],
    [/Android/, tr("Android tablet")], [/Macintosh/, "Mac"], [/Windows/, "Windows PC"], [/Linux/, "Linux PC"]]
    .find(([pattern]) => pattern.test(agent));
  return kind?.[1] ?? tr("My phone");
}

/** Opens the dialog, unless it is open. */
export function openPairing() {
  const dialog = byId("pairing");
  if (dialog.open) return;
  if (store.pairing.status === "waiting") drawWords(dialog, store.pairing);
  else drawForm(dialog);
  dialog.showModal();
}

function drawForm(dialog, problem) {
  clearInterval(timer);
  const name = h("input", { type: "text", maxlength: 40, value: called, required: true, autocomplete: "off",
    dir: "auto", oninput: () => { called = name.value; } });
  const error = refusal(problem);
  dialog.replaceChildren(
    form({}, () => begin(dialog, name, error),
      h("h2", { id: "pairing-title" }, tr("Pair this phone")),
      h("p", {}, store.pairing.look
        ? tr("Everybody in the house may look. To change something, pair this phone with the clock once.")
        : tr("Only paired phones may look at this clock. Pair this one once.")),
      h("p", {}, tr("Have somebody at the clock: to confirm, its button is held for a second, within a minute.")),
      field(tr("Name of this phone"), name), error,
      h("p", { class: "row" },
        h("button", { type: "submit", class: "main" }, tr("Begin")),
        button(tr("Not now"), () => dialog.close()))));
  name.focus();
}

/** What had the focus may be gone: it must not fall back to the top of the page. */
const keepFocus = () => document.activeElement === document.body && byId("main").focus({ preventScroll: true });

async function begin(dialog, name, error) {
  let answer;
  try {
    answer = await ask("POST", "/v1/pair", { name: name.value.trim() });
  } catch (refused) {
    write(error, refused.message, refused.lang);
    name.setAttribute("aria-invalid", "true");
    return;
  }
  drawWords(dialog, answer);
}

/** The words to confirm, for as many seconds. */
function drawWords(dialog, answer) {
  clearInterval(timer);
  const end = performance.now() + answer.seconds * 1000;
  const left = h("span", { class: "left", "aria-hidden": "true" });
  dialog.replaceChildren(
    h("h2", { id: "pairing-title" }, tr("Confirm on the clock")),
    h("p", {}, tr("The words of this phone:")),
    h("p", { class: "words", tabindex: -1, translate: "no" }, answer.words),
    h("p", {}, ...parts("Hold the button of the clock for a second. Or run {command} there, and confirm if it shows "
      + "the same words.", { command: h("code", { translate: "no" }, "clocksmith-relay pair") })),
    h("p", { class: "soft" }, left), h("p", { class: "row" }, button(tr("Cancel"), () => endPairing(dialog))));
  // After the dialog is shown, which takes the focus.
  setTimeout(() => dialog.querySelector(".words")?.focus(), 0);
  let isAsking = false;
  timer = setInterval(async () => {
    const seconds = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    write(left, `${seconds} s`);
    if (isAsking || !dialog.open) return;
    isAsking = true;
    await learnPairing();
    isAsking = false;
    if (store.isPaired) {
      dialog.close();
      window.scrollTo(0, 0);
      keepFocus();
      tell(tr("This phone is paired. It can act now."));
    } else if (store.pairing.status === "none" || seconds === 0) {
      drawForm(dialog, tr("Nobody has confirmed it. Try again."));
    }
  }, 1000);
}

async function endPairing(dialog) {
  dialog.close();
  // Without an answer it ends by itself within the minute.
  await ask("DELETE", "/v1/pair").catch(() => {});
  await learnPairing();
}

byId("pairing").addEventListener("close", () => clearInterval(timer));

let phones = [];

export async function loadPhones() {
  if (store.isPaired) await load("/v1/phones", (answer) => { phones = answer.phones; });
  drawPhones();
}

export function drawPhones() {
  const part = byId("phones");
  fill(part, store.isPaired
    ? [h("p", { class: "soft" }, tr("These may act. Remove one that is lost or sold.")), h("ul", { class: "plain" })]
    : h("p", {}, tr("This phone is not paired: it may look, and not act.")));
  const list = part.querySelector("ul");
  if (list) keepList(list, phones, ({ number, name }) => `${number} ${name}`, phoneLine);
}

function phoneLine(phone) {
  const dates = h("span", { class: "soft" });
  const tag = phone.this ? h("span", { class: "tag" }, tr("this one")) : null;
  return {
    element: h("li", { class: "line" },
      h("span", { class: "grow" }, named(phone.name), tag, h("br"), dates),
      button(tr("Remove"), () => remove(phone), { "aria-label": tr("Remove {name}", { name: phone.name }) })),
    update(now) {
      const date = dateText(Date.parse(now.since));
      const when = now.seen && whenText(Date.parse(now.seen));
      write(dates, when ? tr("since {date}, last seen {when}", { date, when }) : tr("since {date}", { date }));
    },
  };
}

async function remove(phone) {
  const { name } = phone;
  if (!confirm(phone.this ? tr("Remove this phone? It can only look then.") : tr("Remove {name}?", { name }))) return;
  await act(() => ask("DELETE", `/v1/phones/${phone.number}`), { done: tr("{name} is removed.", { name }) });
  await learnPairing();
  await loadPhones();
  keepFocus();
}
