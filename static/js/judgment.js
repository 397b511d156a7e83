// The judgment screen. Without it everything works but keys, times and patience with the network.

import { measureAttention } from "./attention.js";
import { deliver } from "./delivery.js";
import { keeperOf } from "./kept.js";
import * as keys from "./keys.js";

const QUIET_MS = 400; // who is answered sooner needs no word about waiting

const form = document.querySelector("form.choice-bar");
const heading = document.getElementById("question");
const problem = document.getElementById("problem");
const saving = document.getElementById("saving");
const scenario = document.querySelector("details.scenario");

const here = new AbortController(); // ends every listener of this screen
const listening = { signal: here.signal };
const path = new URL(form.action).pathname;
const kept = keeperOf(path, form.dataset.token);
const attention = measureAttention(kept.get(), here.signal);
let isSending = false;

const words = (name) => document.getElementById(`words-${name}`).content.textContent.trim();
const radios = [...form.querySelectorAll("input[name=choice]")];
const chosen = () => radios.find((radio) => radio.checked)?.value;

function restore() {
  const { choice, comment } = kept.get();
  for (const radio of radios) {
    radio.checked = choice ? radio.value === choice : radio.checked;
  }
  if (form.elements.comment && comment !== undefined) {
    form.elements.comment.value = comment;
  }
}

const note = () => kept.note({ choice: chosen(), comment: form.elements.comment?.value });

function report() {
  const [left, right] = document.querySelectorAll(".cards .card");
  const { activeMs, focusLosses } = attention();
  return {
    active_ms: activeMs,
    focus_losses: focusLosses,
    layout: left.offsetTop === right.offsetTop ? "side-by-side" : "stacked",
    viewport_width: window.innerWidth,
    viewport_height: window.innerHeight,
  };
}

async function answer() {
  if (isSending) {
    return;
  }
  if (!chosen()) {
    problem.textContent = words("choose");
    radios[0].focus();
    return;
  }
  problem.textContent = "";
  note();
  kept.note({ report: kept.get().report ?? report() }); // as it was when Next was pressed
  const body = new URLSearchParams(new FormData(form));
  Object.entries(kept.get().report).forEach(([name, value]) => body.set(name, value));
  freeze(true);
  const quiet = setTimeout(() => (saving.textContent = words("saving")), QUIET_MS);
  const onTrouble = () => (saving.textContent = words("retrying"));
  const reply = await deliver(form.action, body, { onTrouble, signal: here.signal });
  clearTimeout(quiet);
  take(reply);
}

function take(reply) {
  if (reply.next) {
    if (reply.settled) {
      here.abort();
      kept.drop();
    }
    location.replace(reply.next);
    return;
  }
  kept.note({ report: null });
  if (reply.refused) {
    location.reload(); // the page is of an older session; choice and comment are kept
    return;
  }
  freeze(false);
  saving.textContent = "";
  problem.textContent = reply.problem;
}

function freeze(isFrozen) {
  isSending = isFrozen;
  form.setAttribute("aria-busy", isFrozen);
  if (form.elements.comment) {
    form.elements.comment.readOnly = isFrozen;
  }
}

function choose(value) {
  const radio = radios.find((one) => one.value === value);
  if (radio && !isSending) {
    radio.checked = true;
    radio.focus();
    note();
  }
}

function offerKeys() {
  const offer = document.getElementById("keys");
  const box = offer.querySelector("input");
  const show = () => {
    document.body.classList.toggle("with-keys", box.checked);
    for (const key of document.querySelectorAll(".key")) {
      const control = key.closest("label")?.control ?? key.parentElement;
      control.ariaKeyShortcuts = box.checked ? key.textContent.replace("↵", "Enter") : null;
    }
  };
  const actions = {
    1: () => choose("left"),
    2: () => choose("right"),
    0: () => choose("equal"),
    enter: answer,
    s: () => (scenario.open = !scenario.open),
  };
  box.checked = keys.areWanted();
  box.addEventListener("change", () => (keys.want(box.checked), show()), listening);
  keys.listen(actions, { isOn: () => box.checked, signal: here.signal });
  offer.hidden = false;
  show();
}

/** Keep the scenario as it was left, until the next scenario. */
function keepScenario() {
  const name = "study-scenario-closed";
  try {
    scenario.open = sessionStorage.getItem(name) !== scenario.dataset.token;
    const remember = () =>
      sessionStorage.setItem(name, scenario.open ? "" : scenario.dataset.token);
    scenario.addEventListener("toggle", remember, listening);
  } catch {
    // Storage is blocked: every comparison starts with the scenario open.
  }
}

/** A status that was there from the start is not read out; one that changes is. */
function announce() {
  for (const status of document.querySelectorAll("[role=status].saved")) {
    const text = status.textContent;
    status.textContent = "";
    setTimeout(() => (status.textContent = text), 100);
  }
}

history.scrollRestoration = "manual";
form.noValidate = true; // our words, in the language of the page
restore();
keepScenario();
offerKeys();
form.addEventListener("submit", (event) => (event.preventDefault(), answer()), listening);
document.addEventListener("input", note, listening); // the comment stands outside the form
form.addEventListener(
  "click",
  (event) => isSending && event.target.type === "radio" && event.preventDefault(),
  listening,
);
window.addEventListener("pagehide", () => kept.note(attention()), listening);
window.addEventListener("pageshow", (event) => event.persisted && location.reload(), listening);
heading.focus({ preventScroll: true });
announce();
if (kept.get().report) {
  answer(); // Next was pressed before the page was lost
}
