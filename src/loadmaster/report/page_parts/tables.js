// Lets a reader sort a table by any of its columns: up, down, and as it was. Bands keep their places and their rows, and
// small print stays below its row.
const SIZES = {
  ms: 1e-3, s: 1, min: 60, h: 3600, d: 86400, B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40,
};
const NUMBER = /^[~±+]?\s*(-?\d+\.?\d*(?:e[+-]?\d+)?)(?:\s*([A-Za-z]+|%)(?=$|[\s,;([])|(?=$|[\s,;([]))/;

const worth = (text) => {
  const plain = text.trim().replace(/\u2212/g, '-').replace(/(\d),(?=\d{3})/g, '$1');
  if (plain === 'baseline') return 0;
  if (plain === '+∞') return Infinity;
  const found = NUMBER.exec(plain);
  return found ? parseFloat(found[1]) * (SIZES[found[2]] ?? 1) : NaN;
};

const NOTHING = ['', '-', 'none', 'new'];

const comparer = (rows, column) => {
  const text = (row) => row[0].cells[column].textContent.trim();
  const told = rows.map(text).filter((each) => !NOTHING.includes(each));
  const numbers = told.length > 0 && told.every((each) => !Number.isNaN(worth(each)));
  const order = numbers ? (a, b) => worth(a) - worth(b) : (a, b) => a.localeCompare(b, 'en', {numeric: true});
  return (direction) => (a, b) => {
    const [one, other] = [text(a), text(b)], [empty, blank] = [NOTHING.includes(one), NOTHING.includes(other)];
    return empty || blank ? empty - blank : direction * order(one, other);
  };
};

// The rows of a band, each with the small print below it; `order` is as the page was made.
const lines = (body) => {
  const found = [];
  for (const row of body.rows) {
    if (row.classList.contains('below')) found.at(-1).push(row);
    else if (!row.classList.contains('band')) found.push([row]);
  }
  return found;
};

const sortable = (table) => {
  const bodies = [...table.tBodies], made = bodies.map(lines);
  if (!made.some((rows) => rows.length > 1)) return;
  const heads = [...table.tHead.rows[0].cells];
  const turn = (head, column) => {
    const now = {ascending: 'descending', descending: 'none'}[head.ariaSort] ?? 'ascending';
    heads.forEach((each) => each.removeAttribute('aria-sort'));
    if (now !== 'none') head.setAttribute('aria-sort', now);
    const by = comparer(made.flat(), column)(now === 'descending' ? -1 : 1);
    bodies.forEach((body, k) => {
      const rows = now === 'none' ? made[k] : [...made[k]].sort(by);
      body.append(...rows.flat());
    });
  };
  heads.forEach((head, column) => {
    if (!head.textContent.trim()) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.title = 'Sort by this column';
    button.append(...head.childNodes);
    button.addEventListener('click', () => turn(head, column));
    head.append(button);
  });
};

document.querySelectorAll('main table').forEach(sortable);

// A number stays with its unit.
const SHORT = 12;
document.querySelectorAll('main td').forEach((cell) => {
  if (cell.textContent.trim().length <= SHORT) cell.classList.add('short');
});

// Tables and charts that are wider than a phone scroll within themselves: also by the keyboard.
const reachable = () => document.querySelectorAll('.wide, .chart').forEach((each) => {
  if (each.scrollWidth > each.clientWidth) each.tabIndex = 0;
  else each.removeAttribute('tabindex');
});
reachable();
addEventListener('resize', reachable);
document.addEventListener('drawn', reachable);
