// What needs a script beyond htmx; without it every page works by links and forms.
"use strict";

// A choice of workspace goes there at once.
document.addEventListener("change", (event) => {
  if (event.target.matches(".where select")) event.target.form.submit();
});
