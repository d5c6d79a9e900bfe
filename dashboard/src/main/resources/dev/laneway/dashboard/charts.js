// The charts over time, by uPlot. Columns are those of History.point: time, done, appended, lag, age, busy, waiting,
// running.

import { brief, count, percent, rate, seconds } from './words.js';

const SECONDS = 300;
const HEIGHT = 150;

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function axis(values) {
  return {
    stroke: colour('--faint'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line'), width: 1 },
    font: '12px system-ui, sans-serif',
    ...values,
  };
}

const CHARTS = {
  rates: {
    columns: [1, 2],
    series: [
      { label: 'done', stroke: '--one', show: rate, fill: true },
      { label: 'appended', stroke: '--two', show: rate, dash: [6, 4] },
    ],
    text: (point) => rate(point[1]) + ' done and ' + rate(point[2]) + ' appended a second',
    axes: [{ values: (_, all) => all.map(brief), size: 52 }],
    scales: { y: { range: (_, low, high) => [0, Math.max(1, high * 1.1)] } },
  },
  lag: {
    columns: [3, 4],
    series: [
      { label: 'records', stroke: '--one', show: count, fill: true },
      { label: 'waiting', stroke: '--two', show: seconds, scale: 's', dash: [6, 4] },
    ],
    text: (point) => count(point[3]) + ' records, the first waits for ' + seconds(point[4]),
    axes: [
      { values: (_, all) => all.map(brief), size: 52 },
      { scale: 's', side: 1, values: (_, all) => all.map((one) => brief(one) + ' s'), size: 48, grid: { show: false } },
    ],
    scales: {
      y: { range: (_, low, high) => [0, Math.max(1, high * 1.1)] },
      s: { range: (_, low, high) => [0, Math.max(1, high * 1.1)] },
    },
  },
  work: {
    columns: [5, 6],
    series: [
      { label: 'busy', stroke: '--one', show: percent, fill: true },
      { label: 'of that waiting', stroke: '--three', show: percent, dash: [2, 3] },
    ],
    text: (point) => percent(point[5]) + ' busy, ' + percent(point[6]) + ' waiting for something',
    axes: [{ values: (_, all) => all.map(percent), size: 52 }],
    scales: { y: { range: [0, 1.02] } },
  },
};

export class Charts {
  constructor() {
    this.points = [];
    this.plots = new Map();
    new ResizeObserver(() => this.resize()).observe(document.querySelector('.charts'));
  }

  reset(points) {
    this.points = points.slice(-SECONDS);
    this.draw();
  }

  add(point) {
    const last = this.points.at(-1);
    if (last && point[0] <= last[0]) return;
    if (last && point[0] - last[0] > 15) {
      this.points.push([last[0] + 1, ...Array(7).fill(null)]); // A gap is seen as one.
    }
    this.points.push(point);
    while (this.points.length > SECONDS) this.points.shift();
    this.draw();
  }

  /** After a change of the theme: colours are drawn, not styled. */
  restyle() {
    for (const plot of this.plots.values()) plot.destroy();
    this.plots.clear();
    this.draw();
  }

  data(chart) {
    return [0, ...chart.columns].map((column) => this.points.map((point) => point[column]));
  }

  draw() {
    const last = this.points.at(-1);
    if (!last) return;
    document.getElementById('work-figure').hidden = this.points.every((point) => point[5] === null);
    for (const [id, chart] of Object.entries(CHARTS)) {
      const place = document.getElementById(id);
      document.getElementById(id + '-text').textContent = chart.text(last);
      if (place.offsetWidth === 0) continue;
      let plot = this.plots.get(id);
      if (!plot) {
        plot = new window.uPlot(this.options(chart, place), this.data(chart), place);
        this.plots.set(id, plot);
      } else {
        plot.setData(this.data(chart));
      }
    }
  }

  options(chart, place) {
    return {
      width: place.offsetWidth,
      height: HEIGHT,
      padding: [8, 24, 0, 0],
      cursor: { y: false, drag: { setScale: false } },
      legend: { live: true },
      scales: {
        x: { time: true, range: (_, low, high) => [Math.max(low, high - SECONDS), Math.max(high, low + 10)] },
        ...chart.scales,
      },
      axes: [
        axis({ space: 70, values: (_, all) => all.map(clock), size: 28 }),
        ...chart.axes.map(axis),
      ],
      series: [
        { label: 'time', value: (_, one) => (one === null ? '' : clock(one)) },
        ...chart.series.map((series) => ({
          label: series.label,
          scale: series.scale || 'y',
          stroke: colour(series.stroke),
          fill: series.fill ? colour(series.stroke) + '22' : undefined,
          width: 2,
          dash: series.dash,
          points: { show: false },
          value: (_, one) => series.show(one),
        })),
      ],
    };
  }

  resize() {
    for (const [id, plot] of this.plots) {
      const width = document.getElementById(id).offsetWidth;
      if (width > 0 && width !== plot.width) plot.setSize({ width, height: HEIGHT });
    }
  }
}

function clock(atSeconds) {
  return new Date(1000 * atSeconds).toLocaleTimeString('en-GB');
}
