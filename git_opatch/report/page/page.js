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

  // Mark the words that change from removed lines to as many added ones below them.
  const line = row => [row.cells[1], row.cells[3]].find(cell => cell.lastChild)?.lastChild;
  const size = words => words.join("").length;
  const mark = rows => {
    const nodes = rows.map(line);
    if (!nodes.every((node, at) => node?.nodeType === Node.TEXT_NODE && rows[at].matches(".same, .alone"))) return;
    const [old, now] = nodes.map(node => node.data.match(/\w+|\s+|./gsu) ?? []), least = Math.min(old.length, now.length);
    let front = 0, back = 0;
    while (front < least && old[front] === now[front]) front++;
    while (back < least - front && old.at(-1 - back) === now.at(-1 - back)) back++;
    const head = size(old.slice(0, front)), tail = size(old.slice(old.length - back));
    const indentation = nodes[0].data.search(/\S|$/), longest = Math.max(...nodes.map(node => node.length));
    if (front + back < least && 2 * (head + tail - Math.min(head, indentation)) < longest - indentation) return;
    for (const node of nodes) {
      const middle = node.splitText(head);
      middle.splitText(middle.length - tail);
      if (!middle.length) continue;
      const marked = document.createElement("mark");
      middle.replaceWith(marked);
      marked.append(middle);
    }
  };
  for (const body of all("tbody")) {
    let old = [], now = [];
    const pair = () => {
      if (old.length === now.length) old.forEach((row, at) => mark([row, now[at]]));
      old = [], now = [];
    };
    for (const row of body.rows) {
      const removes = row.classList.contains("d"), adds = row.classList.contains("a");
      if (!adds && (now.length || !removes)) pair();
      if (removes) old.push(row);
      if (adds) now.push(row);
    }
    pair();
  }

  // Unfold the lines that a patch leaves out next to a change.
  for (const fold of all(".place details")) {
    const beside = [[...fold.previousElementSibling.rows].at(-1), fold.nextElementSibling.rows[0]];
    fold.open = beside.some(row => row?.matches(".a, .d"));
  }

  // Copy what is advised: the text, or the marked lines as the file has them.
  const textOf = cell => [...cell.childNodes].filter(node => !/^(I|EM)$/.test(node.nodeName)).map(node => node.textContent).join("");
  for (const choice of navigator.clipboard ? all(".choice") : []) {
    const code = choice.querySelector("code");
    const cells = choice.parentElement.querySelectorAll(".decides td:nth-child(4), .unlike td:nth-child(4)");
    const text = code ? code.textContent : [...cells].map(textOf).join("\n");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text);
      button.textContent = "copied";
    });
    if (text) choice.append(" ", button);
  }

  addEventListener("beforeprint", () => { for (const each of all("details")) each.open = true; });
})();
