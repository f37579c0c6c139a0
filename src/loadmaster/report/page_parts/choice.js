// What is chosen in one chart is chosen in all that tell the same policies apart, and in the tables: a click on a mark or
// in a legend, or a button of the bar above the charts, which is for the keyboard too.
const STORE = 'policy_chosen_store';
const views = new Map(), colours = new Map(), buttons = new Map();
let chosen = [], bar = null, all = null;

const tuples = () => chosen.map((name) => ({unit: '', fields: [{type: 'E', field: 'policy'}], values: [name]}));
const same = (some, others) => String([...some].sort()) === String([...others].sort());
const rows = () => document.querySelectorAll('main tbody tr:not(.band):not(.below)');
const policyOf = (row) => {
  const names = [...row.cells].slice(0, 2).map((cell) => cell.textContent.trim()); // machines may stand before it
  return names.flatMap((name) => [name, name.split(', ')[0]]).find((name) => colours.has(name)) ?? null;
};

const choose = (names, source) => {
  chosen = names.filter((name) => colours.has(name));
  for (const row of rows()) {
    const name = policyOf(row);
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
  bar.setAttribute('aria-label', 'Policies to stress in charts and tables');
  all = button('show all', () => choose([], null));
  all.className = 'all';
  all.hidden = true;
  bar.append(all);
  const figure = place.closest('figure'), before = figure.previousElementSibling;
  (before?.tagName === 'H2' ? before : figure).before(bar);
};

const offer = (name, colour) => {
  const pressed = () => chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name];
  const made = button(name, () => choose(pressed(), null));
  made.setAttribute('aria-pressed', 'false');
  const swatch = document.createElement('span');
  swatch.style.background = colour;
  made.prepend(swatch);
  buttons.set(name, made);
  all.before(made);
};

document.addEventListener('drawn', ({detail: {view, spec, place}}) => {
  const policies = spec.usermeta?.policies;
  if (!policies || policies.length < 2) return;
  if (!bar) makeBar(place);
  for (const [name, colour] of policies) {
    if (colours.has(name)) continue;
    colours.set(name, colour);
    offer(name, colour);
  }
  views.set(place, view);
  if (chosen.length) view.data(STORE, tuples()).runAsync();
  view.addDataListener(STORE, (_, found) => {
    const names = found.flatMap((each) => each.values);
    if (!same(names, chosen)) choose(names, place);  // else it was told by us
  });
});
