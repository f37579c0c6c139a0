// Unpacks the chart library and the page's charts, and draws them: in other colours where the reader prefers dark pages,
// and narrower where the page is narrow; data are never touched. Nothing is fetched.
const unpacked = (id) => {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
};
const isObject = (part) => part !== null && typeof part === 'object' && !Array.isArray(part);
const mapped = (part, change) => Object.fromEntries(Object.entries(part).map(([key, value]) => [key, change(key, value)]));

const colours = COLOURS, asData = ['data', 'datasets', 'domain', 'sort', 'usermeta'];
const inDark = (part) => typeof part === 'string' ? colours[part] ?? part
  : Array.isArray(part) ? part.map(inDark)
  : isObject(part) ? mapped(part, (key, value) => asData.includes(key) ? value : inDark(value))
  : part;

// Legends go below, in two columns; charts side by side go below each other; each is as wide as there is room.
const ROOM = 1000, AXIS = 64, NAMES = 150, LEAST = 140;
const below = (part) => Array.isArray(part) ? part.map(below)
  : !isObject(part) ? part
  : mapped(part, (key, value) => asData.includes(key) ? value
    : key === 'legend' && isObject(value) ? {...value, orient: 'bottom', columns: 2, labelLimit: 130}
    : below(value));
const namesRows = (spec) => [spec, ...spec.layer ?? []].some(({encoding}) => encoding?.y?.type === 'nominal');
const shrunk = (spec, room) => {
  const {hconcat, ...rest} = spec;
  if (hconcat) return {...rest, vconcat: hconcat.map((each) => shrunk(each, room))};
  if (spec.vconcat) return {...spec, vconcat: spec.vconcat.map((each) => shrunk(each, room))};
  if (spec.concat) return {...spec, columns: 1, concat: spec.concat.map((each) => shrunk(each, room))};
  if (spec.spec) return {...spec, spec: shrunk(spec.spec, room)};
  if (typeof spec.width !== 'number') return spec;
  return {...spec, width: Math.min(spec.width, Math.max(LEAST, room - (namesRows(spec) ? NAMES : AXIS)))};
};
const fitted = (spec, room) => {
  if (room >= ROOM) return spec;
  const config = {...spec.config, legend: {...spec.config?.legend, orient: 'bottom', columns: 2, labelLimit: 130}};
  return below(shrunk({...spec, config}, room));
};

// A chart over time is zoomed by the wheel with Alt held, moved by dragging, and shown whole by a double click.
const HINT = 'Alt and the wheel zoom in time, dragging moves, a double click shows all.';
const isTime = (encoding) => encoding?.x?.field === 't' && encoding.x.bin === undefined;
const overTime = (part) => isTime(part.encoding) || (part.layer ?? []).some(overTime);
const clipped = (spec) => spec.layer ? {...spec, layer: spec.layer.map(clipped)}
  : {...spec, mark: {...(isObject(spec.mark) ? spec.mark : {type: spec.mark}), clip: true}};
const grasped = (spec, grasps) => {
  if (spec.layer) {
    const at = isTime(spec.encoding) ? 0 : spec.layer.findIndex(overTime);
    return {...spec, layer: spec.layer.map((each, i) => i === at ? grasped(each, grasps) : each)};
  }
  const number = grasps.length, name = spec.name ?? 'grasped_' + number;
  const select = {type: 'interval', encodings: ['x'], zoom: 'wheel![event.altKey]'};
  grasps.push({name: 'grasp_' + number, bind: 'scales', select, views: [name]});
  return {...spec, name};
};
const parts = ['hconcat', 'vconcat', 'concat'];
const inTime = (spec, grasps) => {
  const side = parts.find((each) => spec[each]);
  if (side) return {...spec, [side]: spec[side].map((each) => inTime(each, grasps))};
  if (spec.spec) return {...spec, spec: inTime(spec.spec, grasps)};
  return overTime(spec) ? clipped(grasped(spec, grasps)) : spec;
};
const zoomed = (spec) => {
  const grasps = [], shown = inTime(spec, grasps);
  return grasps.length ? {...shown, params: [...shown.params ?? [], ...grasps]} : spec;
};
const hinted = (place) => {
  if (place.parentElement.querySelector('.hint')) return;
  const hint = document.createElement('p');
  hint.className = 'hint';
  hint.textContent = HINT;
  place.after(hint);
};

const embedded = (place, spec, dark) => vegaEmbed(place, dark ? inDark(spec) : spec, {
  actions: false, renderer: 'svg', ast: true, config: {aria: false}, tooltip: {theme: dark ? 'dark' : 'light'},
});

// Paper is white: behind each chart that was drawn for the dark lies a light one, which only a printer sees.
const forPaper = async (spec, place) => {
  const paper = document.createElement('div');
  paper.className = 'paper';
  paper.ariaHidden = 'true';
  place.parentElement.querySelector('.paper')?.remove();
  place.after(paper);
  (await embedded(paper, spec, false)).view.finalize();
};

const drawn = new Map();
const drawOne = async (spec, place, dark, less = 0) => {
  const room = place.closest('figure').clientWidth;
  const wide = fitted(spec, room - less), shown = zoomed(wide);
  const {view} = await embedded(place, shown, dark);
  drawn.get(place)?.finalize();
  drawn.set(place, view);
  const more = place.scrollWidth - place.clientWidth;  // long names beside a narrow chart
  if (!less && room < ROOM && more > 0) return drawOne(spec, place, dark, more);
  if (shown !== wide) {
    hinted(place);
    place.ondblclick = () => drawOne(spec, place, dark);
  }
  document.dispatchEvent(new CustomEvent('drawn', {detail: {view, spec, place, shade: dark ? inDark : (colour) => colour}}));
};
const draw = async (specs, dark) => {
  for (const [i, spec] of specs.entries()) await drawOne(spec, document.getElementById('chart' + i), dark);
  const whole = document.documentElement.dataset;
  whole.drawn = Number(whole.drawn ?? 0) + 1;  // how often all of them
  document.querySelectorAll('.paper').forEach((each) => each.remove());
  if (dark) for (const [i, spec] of specs.entries()) await forPaper(spec, document.getElementById('chart' + i));
};

const start = async () => {
  const library = document.createElement('script');
  library.textContent = await unpacked('vega');
  document.head.append(library);
  const specs = JSON.parse(await unpacked('specs'));
  const prefersDark = matchMedia('(prefers-color-scheme: dark)');
  let before = Promise.resolve();
  const again = () => { before = before.then(() => draw(specs, prefersDark.matches)); };
  prefersDark.addEventListener('change', again);
  let room = document.body.clientWidth, timer = 0;
  addEventListener('resize', () => {
    if (document.body.clientWidth === room) return;
    clearTimeout(timer);
    timer = setTimeout(() => { room = document.body.clientWidth; again(); }, 200);
  });
  again();
};
if ('DecompressionStream' in window) start();
else document.querySelectorAll('.chart').forEach((place) => {
  place.textContent = 'This browser is too old to draw the charts: it cannot unpack them. One from 2023 or later can.';
});
