(() => {
  const all = selector => [...document.querySelectorAll(selector)];
  let at = -1;
  const go = (step, wanted) => {
    const hunks = all("article");
    for (let next = at + step; next >= 0 && next < hunks.length; next += step) {
      const hunk = hunks[next];
      if (wanted && !hunk.classList.contains("refused")) continue;
      for (let outer = hunk; outer; outer = outer.parentElement) if (outer.tagName === "DETAILS") outer.open = true;
      at = next;
      hunk.focus({ preventScroll: true });
      hunk.scrollIntoView({ block: "start" });
      return;
    }
  };
  const fold = () => {
    const folds = all("details"), open = !folds.every(each => each.open);
    for (const each of folds) each.open = open;
  };
  const keys = { j: () => go(1), k: () => go(-1), n: () => go(1, true), o: fold };
  addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  addEventListener("beforeprint", () => { for (const each of all("details")) each.open = true; });
})();
