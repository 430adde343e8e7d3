// The look of a page, and the script that sorts its tables and opens what is folded for print.
#pragma once

namespace spikenm::report {

// Pictures are drawn for white paper; in the dark they are inverted, and photographs back again.
inline constexpr const char* kPageStyle = R"css(
:root { color-scheme: light dark; --ink: #262626; --soft: #5a5a5a; --paper: #ffffff; --line: #d8d8d8; --tint: #f3f6f9; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --soft: #a8a8a8; --paper: #16181b; --line: #3a3d42; --tint: #1f2328; }
  svg { filter: invert(0.91) hue-rotate(180deg); }
  svg image { filter: invert(1) hue-rotate(180deg); }
}
body { margin: 0 auto; padding: 1.5rem; max-width: 76rem; background: var(--paper); color: var(--ink);
       font: 15px/1.5 "DejaVu Sans", Verdana, sans-serif; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid var(--line); }
nav a { margin-right: 1rem; } a { color: inherit; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9rem; }
th, td { padding: 0.3rem 0.7rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
th { background: var(--tint); } th button { all: unset; cursor: pointer; } th button:focus-visible { outline: 2px solid; }
th[aria-sort=ascending] button::after { content: " ▲"; } th[aria-sort=descending] button::after { content: " ▼"; }
svg { max-width: 100%; height: auto; } figure { margin: 1rem 0; }
pre { background: var(--tint); padding: 0.8rem; overflow-x: auto; font-size: 0.8rem; }
.note { color: var(--soft); font-size: 0.9rem; }
@media print { body { max-width: none; padding: 0; } nav { display: none; } figure, tr { break-inside: avoid; }
  pre { white-space: pre-wrap; } }
)css";

// Numbers by value, other text by letters; cells without text stay at the end.
inline constexpr const char* kPageScript = R"js(
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach(other => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const text = row => row.cells[column].textContent.trim();
    const rows = [...table.tBodies[0].rows];
    rows.sort((a, b) => {
      const x = text(a), y = text(b);
      if (!x || !y) return x ? -1 : y ? 1 : 0;
      const p = parseFloat(x), q = parseFloat(y);
      const order = isNaN(p) || isNaN(q) || x.includes(":") ? x.localeCompare(y) : p - q;
      return down ? -order : order;
    });
    table.tBodies[0].append(...rows);
  }));
}
const folded = () => document.querySelectorAll("details:not([open])");
addEventListener("beforeprint", () => folded().forEach(part => { part.open = true; part.dataset.folded = ""; }));
addEventListener("afterprint", () => document.querySelectorAll("[data-folded]").forEach(part => {
  part.open = false;
  delete part.dataset.folded;
}));
)js";

}  // namespace spikenm::report
