// What needs a script beyond htmx; without it every page works by links and forms.
"use strict";

// A choice of workspace goes there at once.
document.addEventListener("change", (event) => {
  if (event.target.matches(".where select")) event.target.form.submit();
});

// What could not be done in place is said in place.
function fail(said) {
  const alert = document.createElement("div");
  alert.className = "notice bad alert";
  alert.role = "alert";
  alert.textContent = said;
  document.getElementById("content").prepend(alert);
}

document.addEventListener("htmx:beforeRequest", () => {
  for (const one of document.querySelectorAll(".alert")) one.remove();
});
document.addEventListener("htmx:sendError", () => fail("The server does not answer."));
document.addEventListener("htmx:responseError", (event) => {
  const answer = event.detail.xhr;
  const told = (answer.getResponseHeader("Content-Type") || "").includes("json");
  fail(told ? JSON.parse(answer.responseText).detail : `The server answered ${answer.status}.`);
});

// The frame with a stored page runs no scripts. A click on a unit there is a click on its link in the outline here,
// and the unit that is shown here is marked there.
const frame = document.getElementById("snapshot");

function shown() {
  const unit = document.querySelector("#unit [data-ordinal]");
  return unit ? unit.dataset.ordinal : "";
}

// Scrolls the frame alone, and only where the unit is out of sight.
function show(unit) {
  const box = unit.getBoundingClientRect();
  const height = frame.clientHeight;
  if (box.top < 0 || box.bottom > height) frame.contentWindow.scrollBy(0, box.top - Math.min(height / 4, 120));
}

function mark() {
  const page = frame.contentDocument;
  for (const one of page.querySelectorAll(".on")) one.classList.remove("on");
  for (const one of document.querySelectorAll(".unit[aria-current]")) one.removeAttribute("aria-current");
  const ordinal = shown();
  const unit = ordinal && page.getElementById("u" + ordinal);
  if (unit) {
    unit.classList.add("on");
    show(unit);
  }
  for (const one of document.querySelectorAll(`.outline .unit[data-unit="${ordinal}"]`)) {
    one.setAttribute("aria-current", "true");
    one.closest("details").open = true;
  }
}

function follow(event) {
  const unit = event.target.closest("[id^=u]");
  const link = unit && document.querySelector(`.side .unit[data-unit="${unit.id.slice(1)}"]`);
  if (!link) return;
  event.preventDefault();
  link.click();
}

function ready() {
  const page = frame.contentDocument;
  if (!page || !page.body || page.URL === "about:blank") return;
  page.documentElement.classList.add("live");
  page.addEventListener("click", follow);
  const first = page.querySelector(".wu.first");
  if (first && !shown()) show(first);
  mark();
}

if (frame) {
  // A frame that opens at a unit scrolls this page to itself as well: back to the top, once, before it is seen.
  const settle = () => window.scrollTo(0, 0);
  if (frame.src.includes("#") && window.scrollY === 0) window.addEventListener("scroll", settle, { once: true });
  for (const own of ["wheel", "keydown", "pointerdown"]) {
    window.addEventListener(own, () => window.removeEventListener("scroll", settle), { once: true });
  }
  frame.addEventListener("load", ready);
  ready();
  document.body.addEventListener("htmx:afterSettle", mark);
}
