// The heat map: a row for each partition, a column for each second. The worst rows come first.

import { count } from './words.js';

const COLUMNS = 120;
const LEAST_COLUMNS = 30;
const ROW = 18;
const THIN = 7;
const MANY = 40;
const LABELS = 150;
const MOST = 400;
/** Steps of lag that differ by their colour: made once a frame, and not for each of tens of thousands of cells. */
const TINTS = 255;

/** One colour for each thing that holds a partition back, by its place in the list; they differ in lightness, too. */
const HOLDS = ['--heat-none', '#9aa5b1', '#b9a5e8', '#6ca6f0', '#f0b429', '#e07b39', '#c05299', '#7a869a', '#f0b429',
  '#8d6bd1', '#d3382c', '#d3382c', '#a01f16'];

const order = new Intl.Collator('en', { numeric: true });

function colour(name) {
  return name.startsWith('--') ? getComputedStyle(document.documentElement).getPropertyValue(name).trim() : name;
}

function channels(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

export class Heat {
  constructor() {
    this.rows = new Map();
    this.words = [];
    this.mode = 'lag';
    this.canvas = document.getElementById('heat');
    this.cells = document.createElement('canvas'); // One pixel for each cell; stretched when it is drawn.
    new ResizeObserver(() => this.draw()).observe(document.getElementById('heat-scroll'));
  }

  reset(heat, words) {
    this.words = words;
    this.rows.clear();
    for (const [id, [lags, holds]] of Object.entries(heat)) {
      this.rows.set(id, { lags, holds });
    }
  }

  add(heat) {
    for (const row of this.rows.values()) {
      row.fresh = false;
    }
    for (const [id, [lag, hold]] of Object.entries(heat)) {
      let row = this.rows.get(id);
      if (!row) {
        row = { lags: [], holds: [] };
        this.rows.set(id, row);
      }
      row.lags.push(lag);
      row.holds.push(hold);
      row.fresh = true;
    }
    for (const [id, row] of this.rows) {
      if (!row.fresh) {
        row.lags.push(null);
        row.holds.push(0);
      }
      while (row.lags.length > COLUMNS) {
        row.lags.shift();
        row.holds.shift();
      }
      if (row.lags.every((lag) => lag === null)) this.rows.delete(id);
    }
    this.draw();
  }

  show(mode) {
    this.mode = mode;
    this.draw();
  }

  /** Held back first, then by lag. */
  sorted() {
    const rank = (row) => {
      const hold = row.holds.at(-1);
      return [hold >= 10 ? hold : 0, row.lags.at(-1) || 0];
    };
    return [...this.rows]
      .map(([id, row]) => ({ id, ...row, rank: rank(row) }))
      .sort((a, b) => b.rank[0] - a.rank[0] || b.rank[1] - a.rank[1] || order.compare(a.id, b.id));
  }

  draw() {
    const all = this.sorted();
    const rows = all.slice(0, MOST);
    const many = rows.length > MANY;
    const height = many ? THIN : ROW;
    const width = this.canvas.parentElement.clientWidth;
    if (width === 0) return;
    const scale = window.devicePixelRatio || 1;
    const labels = Math.min(LABELS, width / 3);
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.max(1, Math.round(rows.length * height * scale));
    this.canvas.style.height = Math.max(1, rows.length * height) + 'px';
    const pen = this.canvas.getContext('2d');
    pen.scale(scale, scale);
    pen.font = '12px system-ui, sans-serif';
    pen.textBaseline = 'middle';
    const most = Math.max(1, ...rows.map((row) => Math.max(0, ...row.lags)));
    const columns = Math.max(LEAST_COLUMNS, ...rows.map((row) => row.lags.length));
    if (rows.length > 0) this.paint(rows, columns, most);
    pen.fillStyle = colour('--text');
    pen.imageSmoothingEnabled = false;
    rows.forEach((row, at) => {
      const top = at * height;
      if (!many) pen.fillText(shortened(pen, row.id, labels - 8), 0, top + height / 2);
      pen.drawImage(this.cells, 0, at, columns, 1, labels, top, width - labels, height - (many ? 0 : 2));
    });
    this.tell(all, rows, most);
  }

  paint(rows, columns, most) {
    const stops = ['--heat-low', '--heat-mid', '--heat-high'].map((one) => channels(colour(one)));
    const tints = Array.from({ length: TINTS + 1 }, (_, at) => mixed(stops, at / TINTS));
    const none = channels(colour('--heat-none'));
    const holds = HOLDS.map((one) => channels(colour(one)));
    this.cells.width = columns;
    this.cells.height = rows.length;
    const pen = this.cells.getContext('2d');
    const image = pen.createImageData(columns, rows.length);
    rows.forEach((row, at) => {
      const from = columns - row.lags.length;
      row.lags.forEach((lag, column) => {
        if (lag === null && (this.mode === 'lag' || row.holds[column] === 0)) return;
        const tint = this.mode === 'hold'
          ? holds[row.holds[column]] || none
          : lag === 0 ? none : tints[Math.round(TINTS * Math.sqrt(lag / most))];
        const place = 4 * (at * columns + from + column);
        image.data[place] = tint[0];
        image.data[place + 1] = tint[1];
        image.data[place + 2] = tint[2];
        image.data[place + 3] = 255;
      });
    });
    pen.putImageData(image, 0, 0);
  }

  tell(all, rows, most) {
    const legend = document.getElementById('heat-legend');
    const kinds = this.mode === 'hold'
      ? [...new Set(rows.flatMap((row) => row.holds))].sort((a, b) => a - b)
        .map((hold) => [colour(HOLDS[hold] || '#9aa5b1'), this.words[hold]])
      : [[colour('--heat-none'), 'no lag'], [colour('--heat-low'), 'little'],
        ...(most < 8 ? [] : [[colour('--heat-mid'), count(most / 4)]]), [colour('--heat-high'), count(most)]];
    legend.replaceChildren(...kinds.map(([tint, words]) => {
      const span = document.createElement('span');
      const box = document.createElement('i');
      box.style.background = tint;
      span.append(box, words);
      return span;
    }));
    const worst = all.filter((row) => row.rank[0] > 0);
    const first = all[0];
    document.getElementById('heat-text').textContent = !first
      ? 'No partition is assigned.'
      : (worst.length > 0
        ? worst.length + ' of ' + all.length + ' held back, first ' + worst[0].id + ': '
          + this.words[worst[0].holds.at(-1)] + '.'
        : !first.lags.at(-1)
          ? 'Nothing waits.'
          : 'Most lag: ' + first.id + ', ' + count(first.lags.at(-1)) + ' records.')
        + (all.length > MOST ? ' The ' + MOST + ' worst of ' + all.length + ' are drawn.' : '');
  }
}

/** Between three colours, by a share from 0 to 1. */
function mixed([low, mid, high], share) {
  const [from, to, part] = share < 0.5 ? [low, mid, 2 * share] : [mid, high, 2 * share - 1];
  return from.map((one, at) => one + (to[at] - one) * part);
}

function shortened(pen, text, width) {
  if (pen.measureText(text).width <= width) return text;
  const dash = text.lastIndexOf('-');
  const end = dash < 0 ? '' : text.slice(dash);
  let start = text.slice(0, text.length - end.length);
  while (start.length > 1 && pen.measureText(start + '…' + end).width > width) start = start.slice(0, -1);
  return start + '…' + end;
}
