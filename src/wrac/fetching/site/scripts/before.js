// Runs before the page's own scripts: notes every shadow root, since a closed one cannot be found later.
(() => {
  const roots = [];
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) {
    const root = attach.call(this, { ...options, serializable: true });
    roots.push(root);
    return root;
  };
  Object.defineProperty(window, "wracRoots", { value: () => roots });
})();
