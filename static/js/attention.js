// Measures for how long a page was visible and focused, and how often it stopped being so.

const isPresent = () => document.visibilityState === "visible" && document.hasFocus();

/**
 * Count from what was measured before a reload; return a function that tells how far it came.
 * An idle tab is not work: time counts only while the page is in front and has the focus.
 */
export function measureAttention({ activeMs = 0, focusLosses = 0 }, signal) {
  let since = isPresent() ? performance.now() : null;
  const look = () => {
    const now = performance.now();
    if (since !== null) {
      activeMs += now - since;
      focusLosses += isPresent() ? 0 : 1;
    }
    since = isPresent() ? now : null;
  };
  document.addEventListener("visibilitychange", look, { signal });
  window.addEventListener("focus", look, { signal });
  window.addEventListener("blur", look, { signal });
  return () => {
    look();
    return { activeMs: Math.round(activeMs), focusLosses };
  };
}
