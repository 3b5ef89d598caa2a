// Filter and sort a table of tools. Every row says its facts in `data-` attributes and in its text.
"use strict";

const MOST = 40; // rows that are drawn until more are asked for: a browser lays out each of them at every key

function toolTable(table) {
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => ({ row, text: row.textContent.toLowerCase(), fits: true }));
  const search = document.querySelector("#search");
  const facets = [...document.querySelectorAll("select[data-facet]")];
  const count = document.querySelector("#count");
  const more = document.querySelector("#more");
  let most = MOST;

  function fits(entry, words, chosen) {
    if (!words.every((word) => entry.text.includes(word))) return false;
    return chosen.every(([name, value]) => (entry.row.dataset[name] || "").split("\n").includes(value));
  }

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = facets.filter((facet) => facet.value).map((facet) => [facet.dataset.facet, facet.value]);
    let number = 0;
    for (const entry of rows) {
      entry.fits = fits(entry, words, chosen);
      number += entry.fits;
      const hidden = !entry.fits || number > most;
      if (entry.row.hidden !== hidden) entry.row.hidden = hidden;
    }
    more.hidden = number <= most;
    more.textContent = `Show the other ${(number - most).toLocaleString("en")}`;
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
    for (const { row } of rows) {
      const next = row.nextElementSibling;
      body.append(row);
      if (next?.classList.contains("editing")) body.append(next);
    }
    filter();
  }

  function reveal() {
    const row = document.getElementById(location.hash.slice(1));
    if (!row || row.parentNode !== body) return;
    row.hidden = false;
    row.scrollIntoView({ block: "center" });
  }

  search.addEventListener("input", () => {
    most = MOST;
    filter();
  });
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
  more.addEventListener("click", () => {
    most = rows.length;
    filter();
  });
  addEventListener("hashchange", reveal);
  filter();
  reveal();
  function reread(row) {
    rows.find((entry) => entry.row === row).text = row.textContent.toLowerCase();
  }

  return { shown: () => rows.filter((entry) => entry.fits).map((entry) => entry.row), reread };
}

const table = document.querySelector("table.tools");
const tools = table && toolTable(table);
