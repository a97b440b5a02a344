// The language of the page. An English sentence is the key of its translation.

const LANGUAGES = ["en", "de", "es", "fr", "it", "pt"];
const bases = navigator.languages.map((tag) => tag.split("-")[0].toLowerCase());
const wanted = bases.find((base) => LANGUAGES.includes(base)) ?? "en";

/** The translations; null if they cannot be loaded. */
async function loadWords() {
  try {
    const answer = await fetch(`words-${wanted}.json`, { signal: AbortSignal.timeout(3000) });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

const words = wanted === "en" ? null : await loadWords();
export const language = words ? wanted : "en";
document.documentElement.lang = language;

/** A sentence in parts for `h`: each `{name}` in it becomes a value, which may be an element. */
export const parts = (english, values = {}) => (words?.[english] ?? english).split(/\{(\w+)\}/)
  .map((part, index) => (index % 2 ? values[part] : part));

/** A sentence as a text. */
export const tr = (english, values) => parts(english, values).join("");

/** A table of sentences. */
export const trEach = (table) => Object.fromEntries(Object.entries(table).map(([key, english]) => [key, tr(english)]));

// What stands in index.html: the label of an element, or else its text, in which `{link}` is the element inside.
for (const element of document.querySelectorAll("[data-tr]")) {
  const label = element.getAttribute("aria-label");
  if (label) {
    element.setAttribute("aria-label", tr(label));
    continue;
  }
  const texts = [...element.childNodes].map((node) => (node.nodeType === Node.TEXT_NODE ? node.data : "{link}"));
  const english = texts.join("").replace(/\s+/g, " ").trim();
  element.replaceChildren(...parts(english, { link: element.firstElementChild }));
}
