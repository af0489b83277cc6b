// The document's HTML with its shadow trees, and with its frames' pages where they were read.
() => {
  const frames = [...document.querySelectorAll("iframe")].filter((frame) => frame.wracPage);
  const roots = window.wracRoots ? window.wracRoots() : [];
  const marks = frames.map((frame, number) => {
    frame.setAttribute("data-wrac-page", String(number));
    return frame.wracPage;
  });
  let html = document.documentElement.getHTML({ serializableShadowRoots: true, shadowRoots: roots });
  for (const frame of frames) frame.removeAttribute("data-wrac-page");
  const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  html = html.replaceAll(/ srcdoc="[^"]*"(?=[^>]* data-wrac-page=)/g, "");
  html = html.replaceAll(/ data-wrac-page="(\d+)"/g, (_, number) => ` srcdoc="${escaped(marks[Number(number)])}"`);
  const root = document.documentElement;
  const attributes = [...root.attributes].map(({ name, value }) => ` ${name}="${escaped(value)}"`).join("");
  return `<html${attributes}>${html}</html>`;
}
