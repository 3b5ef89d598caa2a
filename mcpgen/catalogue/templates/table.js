// Filter and sort a table of tools. Every row says its facts in `data-` attributes and in its text.
"use strict";

function toolTable(table) {
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => ({ row, text: row.textContent.toLowerCase(), shown: true }));
  const search = document.querySelector("#search");
  const facets = [...document.querySelectorAll("select[data-facet]")];
  const count = document.querySelector("#count");

  function fits(entry, words, chosen) {
    if (!words.every((word) => entry.text.includes(word))) return false;
    return chosen.every(([name, value]) => (entry.row.dataset[name] || "").split("\n").includes(value));
  }

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = facets.filter((facet) => facet.value).map((facet) => [facet.dataset.facet, facet.value]);
    let number = 0;
    for (const entry of rows) {
      const shown = fits(entry, words, chosen);
      number += shown;
      if (shown !== entry.shown) entry.row.hidden = !(entry.shown = shown);
    }
    count.textContent = `${number.toLocaleString("en")} of ${rows.length.toLocaleString("en")}`;
    document.querySelector("#nothing").hidden = number > 0;
  }

  function sort(head) {
    const down = head.getAttribute("aria-sort") === "ascending" || (head.dataset.first === "down" && !head.hasAttribute("aria-sort"));
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const name = head.dataset.sort;
    const value = (entry) => entry.row.dataset[name] || "";
    const order = name === "tokens" || name === "score"
      ? (a, b) => Number(value(a)) - Number(value(b))
      : (a, b) => value(a).localeCompare(value(b), "en");
    rows.sort((a, b) => (down ? order(b, a) : order(a, b)));
    body.append(...rows.map((entry) => entry.row));
  }

  search.addEventListener("input", filter);
  for (const facet of facets) facet.addEventListener("change", filter);
  for (const head of table.querySelectorAll("th[data-sort]")) {
    head.querySelector("button").addEventListener("click", () => sort(head));
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
      event.preventDefault();
      search.focus();
    }
  });
  filter();
  return { rows, filter, shown: () => rows.filter((entry) => entry.shown).map((entry) => entry.row) };
}

const table = document.querySelector("table.tools");
const tools = table && toolTable(table);
