// Opens details, accordions and tabs, and scrolls to the end; says how many things it opened.
async (limit) => {
  const deadline = performance.now() + limit;
  const left = () => performance.now() < deadline;
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const rest = async () => {
    let changed = performance.now();
    const observer = new MutationObserver(() => { changed = performance.now(); });
    observer.observe(document, { childList: true, subtree: true, characterData: true });
    const began = changed;
    while (left() && performance.now() - changed < 150 && performance.now() - began < 2000) await wait(30);
    observer.disconnect();
  };
  const all = (selector) => {
    const found = [...document.querySelectorAll(selector)];
    for (const root of window.wracRoots ? window.wracRoots() : []) found.push(...root.querySelectorAll(selector));
    return found;
  };
  const leads = (node) => {
    const link = node.closest("a[href]");
    return link !== null && !link.getAttribute("href").startsWith("#") && !/^javascript:/i.test(link.getAttribute("href"));
  };
  // A consent dialog stays as it is: it is no content, and clicking it would be consent.
  const consent = (node) => node.closest('[id*="cookie" i],[class*="cookie" i],[id*="consent" i],[class*="consent" i]') !== null;
  const submits = (node) => node.form != null && node.type !== "button";
  const safe = (node) => !leads(node) && !consent(node) && !submits(node) && !node.disabled;
  let opened = 0;

  for (const details of all("details:not([open])")) {
    details.open = true;
    opened += 1;
  }
  if (opened) await rest();

  // Many are opened at once: each wait is for all of them. Those that close one another are opened one by one, and what
  // they showed is put behind them where it is gone in the end.
  const isClosed = (node) => node.isConnected && node.getAttribute("aria-expanded") === "false";
  const menu = (node) => (node.getAttribute("aria-haspopup") ?? "false") !== "false";
  const pressedBefore = (window.wracPressed ??= new WeakSet());
  const openers = all('[aria-expanded="false"]:not([role="tab"]):not([role="combobox"]):not(input):not(select)')
    .filter((node) => !menu(node) && safe(node) && !pressedBefore.has(node));
  for (const node of openers) pressedBefore.add(node);
  const press = async (nodes) => {
    const pressed = nodes.filter(isClosed);
    for (const node of pressed) node.click();
    opened += pressed.length;
    if (pressed.length) await rest();
  };
  const worked = new Set();
  for (let start = 0, size = 1; start < openers.length && left(); start += size, size = Math.min(2 * size, 50)) {
    const group = openers.slice(start, start + size);
    await press(group);
    for (const node of group) if (!isClosed(node)) worked.add(node);
  }
  const alternate = openers.some((node) => worked.has(node) && isClosed(node));
  const seen = [];
  for (const node of alternate ? [...openers.filter((one) => !isClosed(one)), ...openers.filter(isClosed)] : []) {
    if (!left()) break;
    await press([node]);
    const id = node.getAttribute("aria-controls");
    const heading = node.closest("h1,h2,h3,h4,h5,h6,summary,dt") ?? node;
    const panel = (id && node.getRootNode().getElementById?.(id)) || heading.nextElementSibling;
    if (panel) seen.push({ node, heading, panel, html: panel.innerHTML, text: panel.textContent.trim() });
  }
  for (const { node, heading, panel, html, text } of seen) {
    if (!text || (panel.isConnected && panel.textContent.includes(text))) continue;
    const copy = document.createElement("div");
    copy.setAttribute("role", "region");
    copy.innerHTML = html;
    for (const inner of copy.querySelectorAll("[id]")) inner.removeAttribute("id");
    (heading.isConnected ? heading : node).after(copy);
  }

  for (let step = 0, height = -1; step < 40 && left(); step += 1) {
    window.scrollBy(0, window.innerHeight);
    await wait(60);
    const now = document.documentElement.scrollHeight;
    if (window.scrollY + window.innerHeight >= now - 2 && now === height) break;
    if (now !== height) await rest();
    height = now;
  }
  window.scrollTo(0, 0);

  // A panel that several tabs share shows one text at a time: what it showed for the others is put behind it.
  const done = (window.wracLists ??= new WeakSet());
  const shown = [];
  const panelOf = (tab) => {
    const id = tab.getAttribute("aria-controls");
    const named = id ? tab.getRootNode().getElementById?.(id) : null;
    if (named) return named;
    const list = tab.closest('[role="tablist"]');
    const around = list && list.parentElement;
    return around && [...around.querySelectorAll('[role="tabpanel"]')].find((panel) => panel.offsetParent !== null);
  };
  for (const list of all('[role="tablist"]')) {
    const tabs = [...list.querySelectorAll('[role="tab"]')].filter(safe);
    const first = tabs.find((tab) => tab.getAttribute("aria-selected") === "true");
    for (const tab of [...(first ? [first] : []), ...tabs.filter((tab) => tab !== first)]) {
      if (!left() || done.has(list)) break;
      if (tab !== first) {
        tab.click();
        opened += 1;
        await rest();
      }
      const panel = panelOf(tab);
      if (panel) shown.push({ tab, panel, html: panel.innerHTML });
    }
    if (first && !done.has(list)) {
      first.click();
      await rest();
    }
    done.add(list);
  }
  for (const { tab, panel, html } of shown.reverse()) {
    if (panel.innerHTML === html || !html.trim()) continue;
    const copy = document.createElement("div");
    copy.setAttribute("role", "tabpanel");
    if (!tab.id) tab.id = `wrac-tab-${Math.abs([...html].reduce((h, c) => (h * 31 + c.codePointAt(0)) | 0, 7))}`;
    copy.setAttribute("aria-labelledby", tab.id);
    copy.innerHTML = html;
    for (const node of copy.querySelectorAll("[id]")) node.removeAttribute("id");
    panel.after(copy);
  }
  return opened;
}
