// Single keys that stand for a control, for those who want them.

const SETTING = "study-keys";
const BOUNCE_MS = 10; // some keyboards report presses that no finger made
const WRITES = "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox])";
const TAKES_ENTER = "a, button, summary, input";

/** Tell whether keys are wanted in this browser: yes, until they are switched off. */
export function areWanted() {
  try {
    return localStorage.getItem(SETTING) !== "off";
  } catch {
    return true;
  }
}

/** Remember in this browser whether keys are wanted. */
export function want(isWanted) {
  try {
    localStorage.setItem(SETTING, isWanted ? "on" : "off");
  } catch {
    // Storage is blocked; the setting holds for this page.
  }
}

/**
 * Call the action of a key when it is released: a held key acts once, and one that was pressed on
 * the page before does nothing on this one. In a text field keys are text; Enter on a control is
 * that control's.
 */
export function listen(actions, { isOn, signal }) {
  let pressed = null;
  const isOurs = (event) =>
    isOn() &&
    event.key.toLowerCase() in actions &&
    !(event.ctrlKey || event.altKey || event.metaKey || event.isComposing) &&
    !event.target.closest?.(event.key === "Enter" ? `${WRITES}, ${TAKES_ENTER}` : WRITES);
  document.addEventListener(
    "keydown",
    (event) => {
      if (!event.repeat) {
        pressed = isOurs(event) ? { key: event.key, at: event.timeStamp } : null;
      }
    },
    { signal },
  );
  document.addEventListener(
    "keyup",
    (event) => {
      const press = pressed;
      pressed = null;
      if (press?.key === event.key && event.timeStamp - press.at >= BOUNCE_MS && isOurs(event)) {
        actions[event.key.toLowerCase()]();
      }
    },
    { signal },
  );
}
