"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
    const numbers = head.classList.contains("num");
    const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    const key = (row) => row.cells[column].dataset.sort;
    const compare = (a, b) => numbers ? Number(a) - Number(b) : a.localeCompare(b, undefined, { numeric: true });
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
    body.append(...[...body.rows].sort((a, b) => {
      const [first, second] = [key(a), key(b)];
      if (first === "" || second === "") return (first === "") - (second === "");
      return sign * compare(first, second);
    }));
  }));
}
