"""The style of the page: light, dark and printed; no font and no image from anywhere."""

from __future__ import annotations

from typing import Final

__all__ = ["STYLE"]

STYLE: Final = """
:root {
  color-scheme: light dark;
  --page: #ffffff; --raised: #f6f7f9; --line: #d8dce2; --ink: #1b1f24; --faint: #5b6570;
  --worse: #b3470b; --better: #0b5fc0; --mixed: #7a3fc4; --absent: #7a5c00;
  --mono: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1318; --raised: #181d24; --line: #313842; --ink: #e4e8ed; --faint: #9aa4b0;
    --worse: #ffa657; --better: #79b8ff; --mixed: #cfa6ff; --absent: #e6c04c;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
main { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
h1 { font-size: 1rem; font-weight: 600; color: var(--faint); margin: 0 0 .5rem; }
h2 { font-size: 1.2rem; margin: 2.25rem 0 .6rem; padding-bottom: .25rem;
  border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.4rem 0 .5rem; }
h4 { font-size: 1rem; margin: 0 0 .4rem; }
p { margin: .5rem 0; max-width: 56rem; }
ul { margin: .5rem 0; padding-left: 1.2rem; }
li { margin: .2rem 0; max-width: 56rem; }
header > p.strong { font-size: 1.55rem; line-height: 1.25; font-weight: 650; margin: 0 0 .9rem; }
.id { font-family: var(--mono); font-size: .92em; white-space: pre-wrap; }
.said { white-space: pre-wrap; }
.strong { font-weight: 650; }
.worse { color: var(--worse); } .better { color: var(--better); }
.mixed { color: var(--mixed); } .absent { color: var(--absent); } .faint { color: var(--faint); }
.bar { display: flex; gap: 2px; height: .6rem; margin: .25rem 0 .5rem; max-width: 56rem; }
.bar i { min-width: 4px; background: currentColor; border-radius: 2px; }
.bar i.faint { opacity: .45; }
.counts { display: flex; flex-wrap: wrap; gap: .1rem 1.4rem; padding: 0; margin: 0 0 1rem;
  list-style: none; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .2rem 1rem;
  margin: .5rem 0; max-width: 64rem; }
dt { color: var(--faint); } dd { margin: 0; }
article { background: var(--raised); border: 1px solid var(--line); border-left: 4px solid;
  border-radius: 4px; padding: .7rem .9rem; margin: .7rem 0; }
article > * { color: var(--ink); }
article > h4 .id { font-size: 1.05em; }
.quoted { margin: .4rem 0 .8rem 1rem; }
.quoted p { margin: .2rem 0; color: var(--faint); }
pre { font: .88em/1.45 var(--mono); white-space: pre-wrap; margin: 0; padding: .5rem .7rem;
  border-left: 3px solid var(--line); background: var(--raised); }
.wide { overflow-x: auto; margin: .6rem 0; }
table { border-collapse: collapse; font-size: .93em; min-width: 40%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; }
th { color: var(--faint); font-weight: 500; border-bottom: 1px solid var(--line); }
td { border-bottom: 1px solid var(--line); }
th, td { overflow-wrap: break-word; }
th.n, td.n { text-align: right; white-space: nowrap; overflow-wrap: normal; }
th { overflow-wrap: normal; white-space: nowrap; }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin: 0 0 .4rem; } }
@media print {
  :root { --page: #fff; --raised: #fff; --line: #bbb; --ink: #000; --faint: #444;
    --worse: #9a3a06; --better: #0a4f9f; --mixed: #60309c; --absent: #5f4800; color-scheme: light; }
  @page { margin: 14mm; }
  body { font-size: 9.5pt; } main { padding: 0; max-width: none; }
  .bar, article { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  article, tr, .quoted { break-inside: avoid; } h2, h3, h4, h3 + p { break-after: avoid; }
  .wide { overflow: visible; } table { font-size: 8pt; } th { white-space: normal; }
  th, td { padding-right: .5rem; }
}
"""
