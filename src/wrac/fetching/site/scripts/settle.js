// Resolves when nothing has changed for half a second and nothing is being loaded, or when `limit` milliseconds are over.
(limit) =>
  new Promise((resolve) => {
    const quiet = 500;
    const started = performance.now();
    let changed = started;
    const observer = new MutationObserver(() => { changed = performance.now(); });
    observer.observe(document, { childList: true, subtree: true, characterData: true, attributes: true });
    const look = () => {
      const now = performance.now();
      const loaded = document.readyState === "complete";
      if ((loaded && now - changed >= quiet) || now - started >= limit) {
        observer.disconnect();
        resolve(loaded);
      } else setTimeout(look, 50);
    };
    look();
  })
