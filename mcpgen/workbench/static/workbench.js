// What the buttons of the workbench do. Everything is asked of the server; nothing is decided here.
const $ = (selector, root = document) => root.querySelector(selector);
// Every address begins with the token
const { root } = document.documentElement.dataset;
const said = $("#said");
const pending = $("#pending");

function fragment(html) {
  // Parsed apart from the page: what the server sends is escaped, and scripts in it would not run.
  const parsed = new DOMParser().parseFromString(html, "text/html");
  return [...parsed.body.childNodes].map((node) => document.importNode(node, true));
}

const fill = (target, html) => target.replaceChildren(...fragment(html));

async function ask(path, body) {
  document.body.classList.add("busy");
  try {
    const options = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    const answer = await fetch(root + path, options);
    if (answer.status === 422) {
      const text = await answer.text();
      const problem = text.startsWith("{") ? JSON.parse(text).error : text;
      fill(said, problem);
      return null;
    }
    if (!answer.ok) throw new Error(await answer.text());
    said.replaceChildren();
    return answer;
  } catch (error) {
    said.textContent = error instanceof TypeError ? "The workbench does not answer: was it ended?" : error.message;
    return null;
  } finally {
    document.body.classList.remove("busy");
  }
}

// One at a time: edits are applied, and their lines shown, in the order in which they were made.
let last = Promise.resolve();
function act(path, body) {
  last = last.then(() => send(path, body), () => send(path, body));
  return last;
}

async function send(path, body) {
  const answer = await ask(path, body);
  if (!answer) return null;
  const state = await answer.json();
  if (state.pending !== undefined) showState(state);
  return state;
}

function showState(state) {
  const open = $("details", pending)?.open;
  fill(pending, state.pending);
  if (open && $("details", pending)) $("details", pending).open = true;
  showChosen(state.chosen);
}
// What another tab edited is shown before it is saved here
addEventListener("focus", () => act("/state"));

function showChosen(chosen) {
  const on = new Set(chosen);
  for (const row of document.querySelectorAll("table.tools tr[data-n]")) {
    const kept = on.has(Number(row.dataset.n));
    row.classList.toggle("off", !kept);
    $("input[type=checkbox]", row).checked = kept;
  }
  if ($("#kept")) $("#kept").textContent = on.size.toLocaleString("en");
}

pending.addEventListener("click", async (event) => {
  const action = event.target.dataset.do;
  if (!action) return;
  const done = await act(`/${action}`, {});
  // What is saved shows already where it was edited, and the editor stays open
  if (done && action === "save" && $("form.editor")) return;
  if (done) location.reload();
  else showState(await (await fetch(`${root}/state`)).json());
});

// Parts that take longer than the page
async function load(part) {
  const answer = await ask(part.dataset.part);
  if (answer) fill(part, await answer.text());
  else part.replaceChildren();
}
for (const part of document.querySelectorAll("[data-part]")) load(part);
act("/state");

// Scores, which are computed while the page is looked at already
const quality = (score) => 1 + [2, 3, 3.5, 4].filter((step) => score >= step).length;
async function scores() {
  const map = $("svg.map");
  const answer = await ask(map ? "/scores?chosen" : "/scores");
  if (!answer) return;
  const { score, rows } = await answer.json();
  for (const [number, value] of Object.entries(rows)) {
    if (value === null) continue;
    if (map) $(`.leaf[data-n="${number}"]`, map)?.classList.add(`q${quality(value)}`);
    const row = !map && document.getElementById(`t${number}`);
    if (row) {
      row.dataset.score = value.toFixed(3);
      $(".score", row).textContent = value.toFixed(2);
    }
  }
  if (map) $("#by-score").disabled = false;
  if ($("#score")) $("#score").textContent = score === null ? "none" : `${score.toFixed(2)} of 5`;
  const own = $("#tool-score");
  if (own) own.textContent = rows[own.closest("[data-n]").dataset.n]?.toFixed(2) ?? "none";
}
if ($("svg.map, table.tools, #tool-score")) scores();

// The page of a tool after an edit: what follows from it comes anew, the forms stay
async function renew() {
  const answer = await ask(location.pathname.slice(root.length));
  if (!answer) return;
  const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    part.replaceWith(document.importNode(parsed.getElementById(part.id), true));
  }
}

// What the table is filtered by is in the address, to be sent or noted, and stays while this tab is open
const filters = [...document.querySelectorAll("#search, select[data-facet]")];
if (filters.length) {
  const named = (filter) => filter.dataset.facet || "q";
  const asked = new URLSearchParams(location.search || sessionStorage.getItem("filters") || "");
  for (const filter of filters) filter.value = asked.get(named(filter)) || "";
  const note = () => {
    const used = filters.filter((filter) => filter.value).map((filter) => [named(filter), filter.value]);
    const query = used.length ? `?${new URLSearchParams(used)}` : "";
    sessionStorage.setItem("filters", query);
    history.replaceState(null, "", location.pathname + query + location.hash);
  };
  for (const filter of filters) filter.addEventListener("change", note);
  $("#search").dispatchEvent(new Event("input"));
  note();
}

// From the filter to an editor by keys: arrows go through the rows, Enter in the filter edits the first
document.addEventListener("keydown", (event) => {
  if (!["ArrowDown", "ArrowUp", "Enter"].includes(event.key)) return;
  const rows = [...document.querySelectorAll("table.tools tr[data-n]:not([hidden])")];
  const places = [$("#search"), ...rows.map((row) => $("button.edit", row))];
  const here = places.indexOf(event.target);
  const next = { ArrowDown: places[here + 1], ArrowUp: places[here - 1] }[event.key];
  if (here < 0) return;
  if (next) {
    event.preventDefault();
    next.focus();
  } else if (event.key === "Enter" && here === 0) {
    event.preventDefault();
    places[1]?.click();
  }
});

// The table: ticks, choices for all that is shown, and editing in place
const body = $("table.tools tbody");
body?.addEventListener("change", (event) => {
  const row = event.target.closest("tr[data-n]");
  if (row && event.target.matches("td:first-child > input")) {
    choose(event.target.checked ? "back" : "out", [Number(row.dataset.n)], null);
  }
});
async function choose(action, numbers, facet) {
  if (!(await act("/choose", { action, numbers, facet }))) {
    showState(await (await fetch(`${root}/state`)).json());
  }
}
for (const button of document.querySelectorAll("[data-choose]")) {
  button.addEventListener("click", () => {
    const chosen = [...document.querySelectorAll("select[data-facet]")].filter((select) => select.value);
    // One tag or method alone is said as such in mcpgen.toml
    const only = chosen.length === 1 && !$("#search").value && ["tag", "method"].includes(chosen[0].dataset.facet);
    const facet = only ? [chosen[0].dataset.facet, chosen[0].value] : null;
    choose(button.dataset.choose, tools.shown().map((row) => Number(row.dataset.n)), facet);
  });
}
$("#next button")?.addEventListener("click", async (event) => {
  if (await act("/suggest", { limit: Number(event.target.dataset.limit) })) location.reload();
});
$("#suggest")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target.elements;
  act("/suggest", { limit: Number(form.limit.value), client: form.client.value });
});
body?.addEventListener("click", async (event) => {
  if (!event.target.matches("button.edit")) return;
  const row = event.target.closest("tr");
  const open = row.nextElementSibling?.classList.contains("editing");
  event.target.setAttribute("aria-expanded", String(!open));
  if (open) return row.nextElementSibling.remove();
  const answer = await ask(`/edit/${row.dataset.n}`);
  if (!answer) return;
  const inner = document.createElement("tr");
  inner.className = "editing";
  inner.insertCell().colSpan = 8;
  fill(inner.cells[0], await answer.text());
  row.after(inner);
  $("input", inner)?.focus();
  $("input", inner)?.select();
});

// Editing, in the table and on the page of a tool
const VALUES = {
  text: (field) => (field.value === field.dataset.usual ? null : field.value.trim() || null),
  flag: (field) => (field.value ? field.value === "true" : null),
  texts: (field) => field.value.split("\n").map((line) => line.trim()).filter(Boolean),
  any: (field) => (field.value.trim() ? json(field.value) : null),
};
function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
document.addEventListener("change", async (event) => {
  const field = event.target;
  const form = field.closest?.("form.editor");
  if (!form || !field.dataset.path) return;
  const value = VALUES[field.dataset.kind](field);
  const changes = [[JSON.parse(field.dataset.path), value?.length === 0 ? null : value]];
  const number = form.dataset.n === undefined ? null : Number(form.dataset.n);
  const state = await act("/change", { number, changes });
  field.setAttribute("aria-invalid", String(!state));
  if (!state) return;
  const row = document.getElementById(`t${form.dataset.n}`);
  if (row) {
    row.dataset.name = state.row.name;
    row.dataset.tokens = state.row.tokens;
    $(".name", row).textContent = state.row.name;
    $(".text", row).textContent = state.row.description;
    $(".tokens", row).textContent = state.row.tokens.toLocaleString("en");
    tools.reread(row);
    scores();
  } else if (state.row) {
    await renew();
    scores();
  }
});
document.addEventListener("submit", (event) => {
  if (event.target.matches("form.editor, #call")) event.preventDefault();
});

// What a button copies is the text that follows it
document.addEventListener("click", async (event) => {
  if (!event.target.matches?.("button.copy")) return;
  event.preventDefault();
  let next = event.target.parentNode.nextElementSibling;
  while (next && next.tagName !== "PRE") next = next.nextElementSibling;
  await navigator.clipboard.writeText(next.textContent);
  event.target.textContent = "Copied";
});

// Calls of before stay below, until the page is left
const MOST_EARLIER = 10;
function keep(outcome) {
  const said = $("pre", outcome).textContent.trim().split("\n")[0];
  const details = document.createElement("details");
  const summary = Object.assign(document.createElement("summary"), { className: "mono", textContent: `Before: ${said}` });
  details.append(summary, ...outcome.childNodes);
  $("#earlier").prepend(details);
  $("#earlier").children[MOST_EARLIER]?.remove();
}

// The arguments of a form: an object is sent when a field in it is filled, or when the object
// around it is sent and requires it. Without prototypes, `__proto__` is a key like any other.
function argumentsOf(form) {
  const values = Object.create(null);
  const fields = [...form.elements].filter((field) => field.dataset.path);
  const placed = fields.map((field) => [field, JSON.parse(field.dataset.path)]);
  for (const [field, path] of placed) {
    if (!field.value) continue;
    const inner = path.slice(0, -1).reduce((at, key) => (at[key] ??= Object.create(null)), values);
    inner[path.at(-1)] = field.dataset.kind === "text" ? field.value : json(field.value);
  }
  for (const [field, path] of placed) {
    const outer = path.slice(0, -1).reduce((at, key) => at?.[key], values);
    if (field.dataset.required !== undefined && outer) outer[path.at(-1)] ??= {};
  }
  return values;
}

// A call
$("#call")?.addEventListener("click", async (event) => {
  const form = event.target.form;
  if (!form || event.target.dataset.dry === undefined) return;
  const values = argumentsOf(form);
  if ($("#outcome pre")) keep($("#outcome"));
  $("#outcome").textContent = "Calling… the first call of a server installs what it needs.";
  const state = await act("/call", { number: Number(form.dataset.n), function: form.dataset.function, arguments: values, dry_run: event.target.dataset.dry === "true" });
  if (state) fill($("#outcome"), state.html);
  else $("#outcome").replaceChildren();
});

// Repairs, one by one or all of a kind
async function mend(numbers, text) {
  if (!(await act("/repair", { numbers, text }))) return;
  for (const number of numbers) {
    for (const button of document.querySelectorAll(`form.mend[data-n="${number}"] button`)) {
      button.replaceWith(Object.assign(document.createElement("span"), { className: "good", textContent: "added" }));
    }
  }
}
document.addEventListener("submit", (event) => {
  const form = event.target.closest("form.mend");
  if (!form) return;
  event.preventDefault();
  mend([Number(form.dataset.n)], form.elements.text?.value || "");
});
document.addEventListener("click", (event) => {
  if (event.target.dataset?.mend) mend(JSON.parse(event.target.dataset.mend), "").then(() => event.target.remove());
});

// Generating again: everything that must be accepted has its own tick
document.addEventListener("change", () => {
  const button = $("#generate");
  if (!button) return;
  const boxes = [...document.querySelectorAll("[name=accepted]")];
  button.disabled = button.dataset.saved !== "true" || !boxes.every((box) => box.checked);
});
document.addEventListener("click", async (event) => {
  if (event.target.id !== "generate") return;
  const accepted = [...document.querySelectorAll("[name=accepted]:checked")].map((box) => box.value);
  const state = await act("/generate", { accepted });
  if (!state) return;
  fill($("#generated"), state.html);
  for (const part of document.querySelectorAll("[data-part]")) load(part);
});
