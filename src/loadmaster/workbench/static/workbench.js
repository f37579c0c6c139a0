// Keeps an open page true: asks the server how things stand, and goes on asking while it is away. Nothing is stored.
const EVERY_MS = 1500;
const word = document.querySelector('meta[name="csrf"]').content;
const silent = document.getElementById('silent');
const say = (place, text) => { place.textContent = text; place.hidden = !text; };

const ask = async (address, options = {}) => {
  const answer = await fetch(address, {
    ...options, headers: {accept: 'application/json', 'x-loadmaster-csrf': word, ...options.headers}});
  if (answer.status >= 400) {
    const why = await answer.json().then((said) => said.why, () => 'the workbench refused this');
    throw Object.assign(new Error(why), {status: answer.status});
  }
  return answer;
};

const often = (look) => {
  const again = async () => {
    let wait = EVERY_MS;
    try {
      if (!document.hidden) await look();
      say(silent, '');
    } catch (error) {
      wait = 2 * EVERY_MS;
      say(silent, error.status === 403 ? 'The workbench was started again: open the address that it printed.'
        : error.status ? error.message : 'The workbench does not answer; this page continues when it answers again.');
    }
    setTimeout(again, wait);
  };
  setTimeout(again, EVERY_MS);
};

// The overview: rows as they change, a filter, and two results chosen for side by side.
const rows = document.querySelector('tbody[data-rows]');
const filter = document.getElementById('filter');
if (rows) {
  const chosen = new Set();
  let known = '';
  const beside = document.getElementById('beside');
  const show = () => {
    const words = filter.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows.rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = (filter.verb.value && row.dataset.verb !== filter.verb.value) || !words.every((each) => text.includes(each));
      if (!row.hidden) count += 1;
      const box = row.querySelector('input');
      if (box) box.checked = chosen.has(box.value);
    }
    document.getElementById('counted').textContent = `${count} of ${rows.rows.length}`;
    document.getElementById('none').hidden = rows.rows.length > 0;
    const [first, second] = chosen;
    const ready = chosen.size === 2;
    beside.toggleAttribute('aria-disabled', !ready);
    if (ready) beside.href = '/beside?' + new URLSearchParams({first, second});
    else beside.removeAttribute('href');
  };
  filter.addEventListener('input', show);
  filter.addEventListener('submit', (event) => event.preventDefault());
  rows.addEventListener('change', ({target}) => {
    if (target.checked) chosen.add(target.value); else chosen.delete(target.value);
    if (chosen.size > 2) chosen.delete(chosen.values().next().value);
    show();
  });
  often(async () => {
    const answer = await ask(rows.dataset.rows, {headers: known ? {'if-none-match': known} : {}, cache: 'no-store'});
    if (answer.status === 304) return;
    known = answer.headers.get('etag');
    const held = document.activeElement?.closest?.('tr[data-at]')?.dataset.at;
    const part = document.activeElement?.tagName;
    rows.innerHTML = await answer.text();
    for (const each of chosen) if (![...rows.rows].some((row) => row.dataset.at === each)) chosen.delete(each);
    show();
    const row = [...rows.rows].find((each) => each.dataset.at === held);
    row?.querySelector(part?.toLowerCase() ?? 'a')?.focus();
  });
  show();
}

// A result: how it stands; the page is loaded once it is there, or when the reader asks for a newer one.
const state = document.getElementById('state');
if (state) {
  const page = document.getElementById('page');
  const newest = document.getElementById('newest');
  let before;
  newest?.addEventListener('click', () => { page.src = page.src; newest.hidden = true; });
  often(async () => {
    const now = await (await ask(state.dataset.state)).json();
    if (state.innerHTML !== now.html) state.innerHTML = now.html;
    if (now.state !== state.dataset.name || (now.page && !page)) { location.reload(); return; }
    if (before !== undefined && now.page !== before && newest) newest.hidden = false;
    before = now.page;
  });
}

// What changes something: stop, go on, send, compare.
for (const button of document.querySelectorAll('[data-post]')) {
  button.addEventListener('click', async () => {
    button.disabled = true;
    try { await ask(button.dataset.post, {method: 'POST'}); } catch (error) { say(silent, error.message); }
    button.disabled = false;
  });
}

const trouble = document.getElementById('trouble');
const upload = document.getElementById('upload');
upload?.addEventListener('submit', (event) => {
  event.preventDefault();
  const file = upload.file.files[0];
  if (file.size > Number(upload.dataset.most)) { say(trouble, 'This file is larger than the limit.'); return; }
  const bar = upload.querySelector('progress');
  const sending = new XMLHttpRequest();  // it tells how much is sent, which fetch does not
  const failed = () => {
    let why = 'The upload was broken off.';
    try { why = JSON.parse(sending.responseText).why ?? why; } catch { /* no answer of ours */ }
    say(trouble, why);
    bar.hidden = true;
  };
  sending.open('POST', '/upload?' + new URLSearchParams({name: file.name}));
  sending.setRequestHeader('x-loadmaster-csrf', word);
  sending.setRequestHeader('accept', 'application/json');
  sending.upload.addEventListener('progress', ({loaded, total}) => { bar.value = 100 * loaded / total; });
  sending.addEventListener('error', failed);
  sending.addEventListener('load', () => {
    if (sending.status >= 400) { failed(); return; }
    location.href = '/log?' + new URLSearchParams({name: JSON.parse(sending.responseText).log});
  });
  say(trouble, '');
  bar.hidden = false;
  sending.send(file);
});

const choose = document.getElementById('choose');
choose?.addEventListener('submit', async (event) => {
  event.preventDefault();
  const given = new FormData(choose);
  const button = choose.querySelector('button');
  button.disabled = true;
  try {
    const answer = await ask('/start', {method: 'POST', body: JSON.stringify({
      log: choose.dataset.log, hosts: given.get('hosts'), policies: given.getAll('policies'),
      disciplines: given.getAll('disciplines'), loads: given.get('loads'), limit: Number(given.get('limit') || 0)})});
    location.href = '/result?' + new URLSearchParams({at: (await answer.json()).at});
  } catch (error) { say(trouble, error.message); }
  button.disabled = false;
});
