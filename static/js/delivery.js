// Sends an answer until the server has taken it. It may be sent again: the server keeps one row an item.

const PATIENCE_MS = 15_000; // then we ask again; the first request may still arrive
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 15_000];
const PASSING = [408, 425, 429];

/**
 * Return what the server says of the answer: {next, settled}, {problem}, or {refused}.
 * `onTrouble` is called at every try that did not get through.
 */
export async function deliver(url, body, { onTrouble, signal }) {
  for (let tries = 0; ; tries += 1) {
    const reply = await send(url, body);
    if (reply) {
      return reply;
    }
    onTrouble();
    await pause(PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)], signal);
  }
}

async function send(url, body) {
  const impatience = new AbortController();
  const timer = setTimeout(() => impatience.abort(), PATIENCE_MS);
  try {
    const response = await fetch(url, {
      method: "POST",
      body,
      headers: { Accept: "application/json" },
      redirect: "error",
      signal: impatience.signal,
    });
    return await read(response);
  } catch {
    return null; // no network, no patience, or not our server that answered
  } finally {
    clearTimeout(timer);
  }
}

async function read(response) {
  if (response.status >= 500 || PASSING.includes(response.status)) {
    return null;
  }
  if (response.ok || response.status === 422) {
    const reply = await response.json();
    return reply.next || reply.problem ? reply : null;
  }
  return { refused: response.status };
}

/** Wait, but no longer than until the network is back. */
function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const over = new AbortController();
    const end = () => {
      clearTimeout(timer);
      over.abort();
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    window.addEventListener("online", end, { signal: over.signal });
    signal.addEventListener("abort", end, { signal: over.signal });
  });
}
