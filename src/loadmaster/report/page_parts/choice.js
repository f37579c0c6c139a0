// What is chosen in one chart is chosen in all that tell the same rules apart, and in the tables: a click on a mark or
// in a legend, or a button of the bar above the charts, which is for the keyboard too.
const STORE = 'rule_chosen_store';
const views = new Map(), names = new Set(), buttons = new Map();
let chosen = [], bar = null, all = null;

const tuples = () => chosen.map((name) => ({unit: '', fields: [{type: 'E', field: 'rule'}], values: [name]}));
const same = (some, others) => String([...some].sort()) === String([...others].sort());
const rows = () => document.querySelectorAll('main tbody tr:not(.band):not(.below)');
const ruleOf = (row) => {
  if (row.dataset.rule) return row.dataset.rule;
  return [...row.cells].slice(0, 2).map((cell) => cell.textContent.trim()).find((name) => names.has(name)) ?? null;
};

const choose = (wanted, source) => {
  chosen = wanted.filter((name) => names.has(name));
  for (const row of rows()) {
    const name = ruleOf(row);
    row.classList.toggle('dim', chosen.length > 0 && name !== null && !chosen.includes(name));
  }
  buttons.forEach((button, name) => button.setAttribute('aria-pressed', chosen.includes(name)));
  all.hidden = chosen.length === 0;
  for (const [place, view] of views) if (place !== source) view.data(STORE, tuples()).runAsync();
};

const button = (text, press) => {
  const made = document.createElement('button');
  made.type = 'button';
  made.append(text);
  made.addEventListener('click', press);
  return made;
};

const makeBar = (place) => {
  bar = document.createElement('div');
  bar.className = 'policies';
  bar.setAttribute('role', 'group');
  bar.setAttribute('aria-label', 'Rules to highlight in charts and tables');
  all = button('show all', () => choose([], null));
  all.className = 'all';
  all.hidden = true;
  bar.append(all);
  const figure = place.closest('figure'), before = figure.previousElementSibling;
  (before?.tagName === 'H2' ? before : figure).before(bar);
};

const SVG = 'http://www.w3.org/2000/svg';
const swatchOf = (dash) => {
  const swatch = document.createElementNS(SVG, 'svg'), line = document.createElementNS(SVG, 'path');
  for (const [key, value] of Object.entries({width: 22, height: 8, 'aria-hidden': 'true'})) swatch.setAttribute(key, value);
  const drawn = {d: 'M0 4H22', 'stroke-width': 4, 'stroke-dasharray': dash.join(' ')};
  for (const [key, value] of Object.entries(drawn)) line.setAttribute(key, value);
  swatch.append(line);
  return swatch;
};

const offer = (name, dash) => {
  const pressed = () => chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name];
  const made = button(name, () => choose(pressed(), null));
  made.setAttribute('aria-pressed', 'false');
  made.prepend(swatchOf(dash));
  buttons.set(name, made);
  all.before(made);
};

document.addEventListener('drawn', async ({detail: {view, spec, place, shade}}) => {
  const rules = spec.usermeta?.rules;
  if (!rules || rules.length < 2) return;
  if (!bar) makeBar(place);
  for (const [name, colour, dash] of rules) {
    if (!names.has(name)) {
      names.add(name);
      offer(name, dash);
    }
    buttons.get(name).querySelector('path').setAttribute('stroke', shade(colour));
  }
  place.querySelector('svg')?.dispatchEvent(new MouseEvent('click'));  // Vega loses the first click on a legend
  await view.runAsync();
  views.set(place, view);
  if (chosen.length) view.data(STORE, tuples()).runAsync();
  view.addDataListener(STORE, (_, found) => {
    const picked = found.flatMap((each) => each.values);
    if (!same(picked, chosen)) choose(picked, place);  // else it was told by us
  });
});
