// Accordions, tabs and the cookie notice. Without this script every panel stays as the page was sent.
for (const button of document.querySelectorAll(".accordion button")) {
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!open));
    document.getElementById(button.getAttribute("aria-controls")).hidden = open;
  });
}
for (const tab of document.querySelectorAll('[role="tab"]')) {
  tab.addEventListener("click", () => {
    for (const other of tab.parentElement.querySelectorAll('[role="tab"]')) {
      const chosen = other === tab;
      other.setAttribute("aria-selected", String(chosen));
      document.getElementById(other.getAttribute("aria-controls")).hidden = !chosen;
    }
  });
}
document.querySelector(".cookie-banner button")?.addEventListener("click", (event) => event.target.closest(".cookie-banner").remove());
