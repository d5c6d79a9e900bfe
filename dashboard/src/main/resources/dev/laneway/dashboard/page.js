// The page: what the server tells each second goes into its places. Text is only ever set as text, never as markup.

import { Charts } from './charts.js';
import { Heat } from './heat.js';
import { listen } from './stream.js';
import { ago, between, bytes, clock, count, name, percent, rate, seconds, UNKNOWN } from './words.js';

const STUCK = 10;
const BAD = [10, 11, 12];
const TITLES = { HEALTHY: '✓ Healthy', LIMITED: '▲ Limited', BROKEN: '✕ Broken', UNKNOWN: '? Not known' };
const ACTIONS = {
  pause: ['Pause', 'No further record of any partition starts until you resume. It stays in its group.'],
  resume: ['Resume', 'Every pause ends; each partition goes on where it stopped.'],
  drain: ['Drain', 'Nothing new is fetched, what is held is done for a minute at most, then it closes. It cannot be'
    + ' started again from here.'],
};

const byId = (id) => document.getElementById(id);
const charts = new Charts();
const heat = new Heat();
let holds = [];
let token = takeToken();
let connection = null;
let lastAt = 0;
let actionsShown = '';

/** The token comes behind # and leaves the address bar at once; it is kept for this tab alone. */
function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given) {
    history.replaceState(null, '', location.pathname);
    sessionStorage.setItem('laneway-token', given);
  }
  return given || sessionStorage.getItem('laneway-token');
}

function text(id, value) {
  const place = byId(id);
  if (place.textContent !== value) place.textContent = value; // What does not change is not read aloud again.
  return place;
}

function make(tag, content, kind) {
  const element = document.createElement(tag);
  if (content !== undefined) element.append(content);
  if (kind) element.className = kind;
  return element;
}

function connect() {
  if (connection) connection.stop();
  connection = listen(token, (event, data) => (event === 'hello' ? hello(data) : frame(data)), linked);
}

function linked(state) {
  const link = text('link', { live: 'live', silent: 'no news', lost: 'connection lost', refused: 'locked' }[state]);
  link.className = 'chip ' + (state === 'live' ? 'live' : 'lost');
  byId('login').hidden = state !== 'refused';
  if (state === 'refused') {
    text('login-error', token ? 'This token is wrong.' : '');
    byId('token').focus();
  }
}

function hello(data) {
  text('name', data.name);
  document.title = data.name + ' – Laneway';
  holds = data.holds;
  heat.reset(data.heat, data.holds);
  charts.reset(data.totals);
  lastAt = data.totals.length === 0 ? 0 : Math.round(1000 * data.totals.at(-1)[0]);
}

function frame(data) {
  text('state', data.state);
  verdict(data);
  figures(data);
  if (data.at > lastAt) {
    lastAt = data.at;
    charts.add(data.point);
    heat.add(data.heat);
  } else {
    heat.draw();
  }
  rows(data);
  latencies(data.latencies);
  busyKeys(data.keys);
  letters(data.letters);
  if (data.unfinished.length > 0) unfinished(data); else oldest(data.rows);
  events(data.events);
  counters(data.counters);
  members(data.members);
  byId('remarks-panel').hidden = data.remarks.length === 0;
  fill('remarks', data.remarks, (remark) => make('li', remark));
  actions(data.actions);
}

function fill(id, items, element) {
  byId(id).replaceChildren(...items.map(element));
}

function verdict(data) {
  const of = data.verdict;
  const place = byId('verdict');
  place.className = 'verdict ' + of.outcome.toLowerCase();
  place.dataset.cause = of.cause || '';
  text('outcome', TITLES[of.outcome]);
  text('since', 'since ' + clock(of.since) + ', ' + ago(of.since, data.at));
  text('sentence', capital(of.sentence.replace(/^(Healthy|Limited|Broken)[:,] /, ''))); // The title says that.
  text('remedy', of.remedy).hidden = !of.remedy;
  text('blame', of.blame ? 'partition ' + of.blame : '').hidden = !of.blame;
  document.title = TITLES[of.outcome].split(' ')[0] + ' ' + byId('name').textContent + ' – Laneway';
  const evidence = of.evidence.join('\n');
  const list = byId('evidence');
  list.parentElement.hidden = of.evidence.length === 0;
  if (list.dataset.shown !== evidence) {
    list.dataset.shown = evidence;
    fill('evidence', of.evidence, (line) => make('li', line));
  }
}

function capital(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function clearing(of) {
  if (of.clears === null) return [UNKNOWN, 'watching'];
  if (!of.clears) return ['never', 'the lag does not shrink'];
  if (of.clear === 0) return ['now', 'nothing waits'];
  return [seconds(of.clear), of.clearHigh === null
    ? 'at least ' + seconds(of.clearLow)
    : seconds(of.clearLow) + ' to ' + seconds(of.clearHigh)];
}

function figures(data) {
  const of = data.totals;
  const [clear, clearError] = clearing(of);
  const age = between(of.ageLow, of.ageHigh).split(' ± ');
  const list = [
    ['Done a second', rate(of.done), of.appended === null ? '' : rate(of.appended) + ' appended'],
    ['Lag in records', count(of.lag), data.partitions + (data.partitions === 1 ? ' partition' : ' partitions')],
    ['First record waits', age[0], age[1] ? '± ' + age[1] : ''],
    ['Clear in', clear, clearError],
  ];
  if (of.limit !== null) {
    list.push(['In flight', count(of.running), 'of ' + count(of.limit) + ' at once'],
      ['Workers busy', percent(of.busy), of.waiting === null ? '' : percent(of.waiting) + ' of that waiting'],
      ['Records held', count(of.held), 'of ' + count(of.heldLimit)],
      ['Bytes held', bytes(of.heldBytes), 'of ' + bytes(of.bytesLimit)]);
  }
  const place = byId('figures');
  if (place.childElementCount !== list.length) {
    place.replaceChildren(...list.map(() => {
      const box = make('div');
      box.append(make('dt'), make('dd'));
      return box;
    }));
  }
  list.forEach(([title, value, more], at) => {
    const [term, figure] = place.children[at].children;
    term.textContent = title;
    figure.replaceChildren(value, make('small', more));
  });
}

const COLUMNS = [
  ['partition', (row) => row.id],
  ['lag', (row) => count(row.lag), 'n'],
  ['first waits', (row) => between(row.ageLow, row.ageHigh), 'n'],
  ['done/s', (row) => rate(row.done), 'n'],
  ['in/s', (row) => rate(row.appended), 'n'],
  ['held back by', (row) => holds[row.hold], 'hold'],
  ['why', (row) => row.why],
  ['busy keys', (row) => count(row.lanes), 'n', 'lanes'],
  ['in flight', (row) => count(row.queued), 'n', 'queued'],
  ['held', (row) => count(row.held), 'n', 'held'],
  ['spilled keys', (row) => count(row.spilledKeys), 'n', 'spilledKeys'],
  ['spilled records', (row) => count(row.spilled), 'n', 'spilled'],
  ['committed', (row) => (row.committed === null ? UNKNOWN : String(row.committed)), 'n'],
  ['member', (row) => row.owner || UNKNOWN, '', 'owner'],
];

function headings(id, shown) {
  const head = byId(id);
  const titles = shown.map((column) => column[0]).join();
  if (head.dataset.shown === titles) return;
  head.dataset.shown = titles;
  head.replaceChildren(...shown.map(([title, , kind]) => {
    const cell = make('th', title, kind);
    cell.scope = 'col';
    return cell;
  }));
}

function cells(line, shown, of) {
  line.append(...shown.map(([, value, kind], at) => {
    const cell = make(at === 0 ? 'th' : 'td', value(of), kind);
    if (at === 0) cell.scope = 'row';
    return cell;
  }));
}

/** Columns that the source does not know at all are left out. */
function rows(data) {
  const shown = COLUMNS.filter((column) => !column[3] || data.rows.some((row) => row[column[3]] !== null));
  headings('rows-head', shown);
  fill('rows', data.rows, (row) => {
    const line = make('tr', undefined, BAD.includes(row.hold) ? 'bad' : '');
    cells(line, shown, row);
    return line;
  });
  text('rows-more', data.rows.length < data.partitions ? 'and ' + (data.partitions - data.rows.length) + ' more' : '');
}

function oldest(all) {
  const known = all.filter((row) => row.oldest !== null).sort((a, b) => b.oldestFor - a.oldestFor).slice(0, 8);
  byId('oldest-panel').hidden = all.length > 0 && all.every((row) => row.lanes === null);
  fill('oldest', known, (row) => {
    const item = make('li', row.id + '@' + row.oldest + ' for ' + seconds(row.oldestFor));
    if (row.hold === STUCK) {
      item.append(' ', make('strong', 'stuck'));
    }
    return item;
  });
  if (known.length === 0) byId('oldest').append(make('li', 'No record is unfinished.'));
}

function latencies(all) {
  byId('latencies-panel').hidden = all.length === 0;
  fill('latencies', all, (of) => {
    const line = make('tr');
    const title = make('th', of.name);
    title.scope = 'row';
    line.append(title, ...[of.half, of.p95, of.p99, of.most].map((value) => make('td', brief(value), 'n')));
    return line;
  });
}

function brief(value) {
  return value < 1 ? (1000 * value).toPrecision(value < 0.1 ? 2 : 3) + ' ms' : seconds(value);
}

/** Lines of a list that stay in place, so that what a reader has unfolded or reached stays so. */
function keep(id, items, keyOf, create, update) {
  const place = byId(id);
  const wanted = new Map(items.map((of) => [keyOf(of), of]));
  for (const line of [...place.children]) {
    if (!wanted.has(line.dataset.key)) line.remove();
  }
  const lines = new Map([...place.children].map((line) => [line.dataset.key, line]));
  [...wanted].forEach(([key, of], at) => {
    const line = lines.get(key) || create();
    line.dataset.key = key;
    update(line, of, key);
    if (place.children[at] !== line) place.insertBefore(line, place.children[at] || null);
  });
}

/** Words, a mark, and what is shown when it is unfolded. */
function folded(summary) {
  const line = make('li');
  const more = make('details');
  more.append(make('summary', summary), make('pre'));
  line.append(make('span'), make('strong'), more);
  return line;
}

function fold(line, words, mark, inner) {
  const [said, marked, more] = line.children;
  const all = inner.join('\n');
  said.textContent = words;
  marked.textContent = mark;
  more.hidden = inner.length === 0;
  if (more.lastChild.textContent !== all) more.lastChild.textContent = all;
}

/** With what is known of each attempt. */
function unfinished(data) {
  const stuck = new Set(data.rows.filter((row) => row.hold === STUCK).map((row) => row.id + '@' + row.oldest));
  byId('oldest-panel').hidden = false;
  keep('oldest', data.unfinished, (of) => of.id + '@' + of.offset, () => folded('where its worker is'),
    (line, of, record) => fold(line, record + ' for ' + seconds(of.for) + ', attempt ' + of.attempts
      + (of.error ? ', last failure ' + of.error : '') + ' ', stuck.has(record) ? 'stuck' : '', of.stack));
}

function letters(all) {
  byId('letters-panel').hidden = all.length === 0;
  keep('letters', all, (of) => of.id + '@' + of.offset, () => folded('its headers'),
    (line, of, record) => fold(line, clock(of.at) + ' ' + record + ' is in ' + of.topic + ' ', '', of.headers));
}

const KEY_COLUMNS = [
  ['key', (of) => of.key],
  ['partition', (of) => of.id],
  ['records', (of) => count(of.records), 'n'],
  ['busy', (of) => percent(of.busy), 'n'],
];

function busyKeys(all) {
  byId('keys-panel').hidden = all.length === 0;
  headings('keys-head', KEY_COLUMNS);
  fill('keys', all, (of) => {
    const line = make('tr');
    cells(line, KEY_COLUMNS, of);
    return line;
  });
}

function events(all) {
  const newest = all.slice().reverse();
  const key = newest.map((event) => event.n + event.text).join();
  const place = byId('events');
  if (place.dataset.shown === key) return;
  place.dataset.shown = key;
  fill('events', newest, (event) => {
    const item = make('li', undefined, 'on-' + event.kind);
    const time = make('time', clock(event.at));
    time.dateTime = new Date(event.at).toISOString();
    item.append(time, make('b', event.kind), make('span', event.text));
    return item;
  });
}

function counters(all) {
  const names = Object.keys(all);
  byId('counters-panel').hidden = names.length === 0;
  fill('counters', names, (key) => {
    const box = make('div');
    box.append(make('dt', name(key)), make('dd', all[key].toLocaleString('en')));
    return box;
  });
}

const MEMBER_COLUMNS = [
  ['client', (of) => of.client],
  ['host', (of) => of.host],
  ['partitions', (of) => count(of.partitions), 'n'],
  ['lag', (of) => count(of.lag), 'n'],
  ['state', (of) => of.page.state || UNKNOWN, '', true],
  ['verdict', (of) => (of.page.outcome ? TITLES[of.page.outcome] || of.page.outcome : UNKNOWN), '', true],
  ['done/s', (of) => rate(of.page.done), 'n', true],
  ['in flight', (of) => (of.page.running === null ? UNKNOWN
    : count(of.page.running) + ' of ' + count(of.page.limit)), 'n', true],
  ['busy', (of) => percent(of.page.busy), 'n', true],
  ['what it says', (of) => (of.page.why ? 'Not seen: ' + of.page.why + '.' : of.page.sentence || ''), 'said', true],
];

/** What members' own pages say is shown only where they are asked. */
function members(all) {
  byId('members-panel').hidden = all.length === 0;
  const asked = all.some((member) => member.page !== null);
  const shown = MEMBER_COLUMNS.filter((column) => asked || !column[3]);
  headings('members-head', shown);
  fill('members', all, (member) => {
    const line = make('tr', undefined, asked && member.page.outcome === 'BROKEN' ? 'bad' : '');
    cells(line, shown, member);
    return line;
  });
  const seen = asked ? all.filter((member) => !member.page.why) : [];
  const ill = seen.filter((member) => member.page.outcome === 'BROKEN' || member.page.outcome === 'LIMITED');
  text('members-text', asked ? seen.length + ' of ' + all.length + ' members have a page that answers, '
    + ill.length + ' of these say that they are limited or broken.' : '');
}

function actions(allowed) {
  if (actionsShown === allowed.join()) return;
  actionsShown = allowed.join();
  byId('actions').hidden = allowed.length === 0;
  fill('actions', allowed, (action) => {
    const button = make('button', ACTIONS[action][0]);
    button.type = 'button';
    button.dataset.action = action;
    button.addEventListener('click', () => confirmed(action));
    return button;
  });
}

function confirmed(action) {
  const [title, words] = ACTIONS[action];
  text('confirm-title', title + '?');
  text('confirm-text', words);
  const yes = text('confirm-yes', title);
  const dialog = byId('confirm');
  yes.onclick = () => {
    dialog.close();
    act(action);
  };
  byId('confirm-no').onclick = () => dialog.close();
  dialog.showModal();
}

async function act(action) {
  try {
    const headers = { 'Content-Type': 'application/json' };
    if (token) headers.Authorization = 'Bearer ' + token;
    const response = await fetch('actions', {
      method: 'POST', headers, body: JSON.stringify({ action, confirm: action }),
    });
    say((await response.json()).sentence);
  } catch (lost) {
    say('There was no answer: whether it was done is in the audit log.');
  }
}

function say(sentence) {
  text('said', sentence).hidden = false;
  setTimeout(() => { byId('said').hidden = true; }, 8000);
}

function theme(dark) {
  document.documentElement.classList.toggle('dark', dark);
  byId('theme').setAttribute('aria-pressed', String(dark));
  charts.restyle();
  heat.draw();
}

const wantsDark = matchMedia('(prefers-color-scheme: dark)');
const chosen = localStorage.getItem('laneway-theme');
theme(chosen === null ? wantsDark.matches : chosen === 'dark');
wantsDark.addEventListener('change', (event) => {
  if (localStorage.getItem('laneway-theme') === null) theme(event.matches);
});
byId('theme').addEventListener('click', () => {
  const dark = !document.documentElement.classList.contains('dark');
  localStorage.setItem('laneway-theme', dark ? 'dark' : 'light');
  theme(dark);
});
for (const choice of document.querySelectorAll('input[name=heat]')) {
  choice.addEventListener('change', () => heat.show(choice.value));
}
byId('login').addEventListener('submit', (event) => {
  event.preventDefault();
  token = byId('token').value.trim();
  sessionStorage.setItem('laneway-token', token);
  connect();
});
connect();
