"use strict";
// The page works without this script; with it one can sort, filter and copy.

// Sorting: the heading of each column becomes a button.
const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
const said = document.getElementById("said");

function keyOf(row, column, isNumber) {
  const text = row.cells[column].textContent.trim();
  if (!isNumber) return text;
  const number = parseFloat(text.replace("−", "-").replace(/,/g, ""));
  return Number.isNaN(number) ? null : number;
}

function sortBy(table, heading) {
  const column = heading.cellIndex;
  const isNumber = heading.classList.contains("n");
  const down = heading.getAttribute("aria-sort") === "ascending";
  const body = table.tBodies[0];
  const rows = Array.from(body.rows, (row) => [keyOf(row, column, isNumber), row]);
  rows.sort(([one], [other]) => {
    if (one === null || other === null) return (one === null) - (other === null); // without a value: always last
    const order = isNumber ? one - other : collator.compare(one, other);
    return down ? -order : order;
  });
  body.append(...rows.map(([, row]) => row));
  for (const other of table.tHead.rows[0].cells) {
    if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
  }
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
}

for (const table of document.querySelectorAll("table.sortable")) {
  for (const heading of table.tHead.rows[0].cells) {
    if ("plain" in heading.dataset) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sortBy(table, heading));
    heading.append(button);
    heading.setAttribute("aria-sort", "none");
  }
}

// Filters of the table of students.
const filters = document.getElementById("filters");
const students = Array.from(document.getElementById("table").tBodies[0].rows, (row) => ({
  row,
  text: row.cells[0].textContent.toLowerCase(),
  scores: Array.from(row.cells).slice(1, -1).map((cell) => parseFloat(cell.textContent)),
  verdicts: Array.from(row.cells).slice(1, -1).map((cell) => cell.dataset.v || ""),
}));
const fits = {
  "": () => true,
  full: (score) => score === 100,
  below: (score) => score < 100,
  half: (score) => score < 50,
  zero: (score) => score === 0,
  none: (score) => Number.isNaN(score),
};

function filter() {
  const words = document.getElementById("words").value.toLowerCase().split(/\s+/).filter(Boolean);
  const exercise = document.getElementById("exercise").value; // the column; none means the whole course
  const score = fits[document.getElementById("score").value];
  const verdict = document.getElementById("verdict").value;
  let count = 0;
  for (const { row, text, scores, verdicts } of students) {
    const found = exercise ? verdicts[exercise - 1] : verdicts.join("");
    const shown =
      words.every((word) => text.includes(word)) && score(scores[exercise ? exercise - 1 : 0]) && found.includes(verdict);
    row.hidden = !shown;
    count += shown;
  }
  const all = students.length.toLocaleString("en");
  document.getElementById("count").textContent =
    count === students.length ? `${all} student${count === 1 ? "" : "s"}` : `${count.toLocaleString("en")} of ${all} students`;
  document.getElementById("nobody").hidden = count > 0 || !students.length;
}

filters.hidden = false;
filters.addEventListener("input", filter);
filters.addEventListener("submit", (event) => event.preventDefault());
filters.addEventListener("reset", () => setTimeout(filter));
filter(); // a browser may have kept what was typed before a reload

// Copying: where the clipboard is closed to us, the text is selected, and a key copies it.
async function copy(button) {
  const field = document.getElementById(button.dataset.copy);
  const before = button.textContent;
  let done = false;
  try {
    await navigator.clipboard.writeText(field.value);
    done = true;
  } catch {
    field.focus();
    field.select();
    done = document.execCommand("copy");
  }
  said.textContent = done ? "Copied." : "Selected. Press Ctrl+C to copy.";
  button.textContent = done ? "Copied" : "Selected: press Ctrl+C";
  setTimeout(() => { button.textContent = before; }, 2500);
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", () => { copy(button); });
}

// What is folded is printed too.
const folded = () => document.querySelectorAll("details:not([open])");
let opened = [];
addEventListener("beforeprint", () => { opened = Array.from(folded()); for (const one of opened) one.open = true; });
addEventListener("afterprint", () => { for (const one of opened) one.open = false; });
