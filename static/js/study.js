// On every page of the path: a form is sent once, and nobody leaves words behind for the next person.

import { dropAll } from "./kept.js";

const sent = new WeakSet();

document.addEventListener("submit", (event) => {
  if (event.defaultPrevented) {
    return; // the judgment screen sends by itself
  }
  if (sent.has(event.target)) {
    event.preventDefault();
    return;
  }
  sent.add(event.target);
  if (event.target.classList.contains("way-out")) {
    dropAll();
  }
});
// Back may show the page as it was left; its form can be sent again.
window.addEventListener("pageshow", (event) => event.persisted && location.reload());
