// What the server does not have yet, kept in this browser: a reload or a lost network costs nothing.

const PREFIX = "study-unsaved:";

/** Return the keeper of one screen. What was kept of another screen is dropped. */
export function keeperOf(path, token) {
  const slot = PREFIX + path;
  let kept = read(slot);
  if (kept.token !== token) {
    remove(slot);
    kept = { token };
  }
  return {
    get: () => kept,
    note(changes) {
      kept = { ...kept, ...changes };
      write(slot, kept);
    },
    drop: () => remove(slot),
  };
}

/** Drop what was kept of any screen: somebody else takes this browser over. */
export function dropAll() {
  try {
    Object.keys(localStorage)
      .filter((name) => name.startsWith(PREFIX))
      .forEach((name) => localStorage.removeItem(name));
  } catch {
    // Storage is blocked, so nothing was kept.
  }
}

function read(slot) {
  try {
    return JSON.parse(localStorage.getItem(slot)) ?? {};
  } catch {
    return {};
  }
}

function write(slot, kept) {
  try {
    localStorage.setItem(slot, JSON.stringify(kept));
  } catch {
    // Storage is blocked or full: the open page still has everything.
  }
}

function remove(slot) {
  try {
    localStorage.removeItem(slot);
  } catch {
    // Storage is blocked, so nothing was kept.
  }
}
