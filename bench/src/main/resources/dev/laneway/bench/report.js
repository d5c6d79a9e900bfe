'use strict';
// One horizontal bar chart for each element with data: medians, with the range of the runs as a line through the end of
// the bar. A peer that failed has no bar, and says so.
const dark = matchMedia('(prefers-color-scheme: dark)').matches;
const ranges = {
  id: 'ranges',
  afterDatasetsDraw(chart) {
    const { ctx, chartArea, scales: { x } } = chart;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = Chart.defaults.color;
    ctx.lineWidth = 1.5;
    ctx.textBaseline = 'middle';
    ctx.font = '12px system-ui, sans-serif';
    chart.data.datasets.forEach((dataset, series) => chart.getDatasetMeta(series).data.forEach((bar, at) => {
      const range = dataset.ranges[at];
      if (range.length === 0) {
        ctx.fillText('failed', chartArea.left + 4, bar.y);
      } else if (range[0] < range[1]) {
        const [from, to] = range.map(value => Math.max(chartArea.left, x.getPixelForValue(value)));
        const tick = Math.min(4, bar.height / 3);
        ctx.beginPath();
        ctx.moveTo(from, bar.y);
        ctx.lineTo(to, bar.y);
        for (const end of [from, to]) {
          ctx.moveTo(end, bar.y - tick);
          ctx.lineTo(end, bar.y + tick);
        }
        ctx.stroke();
      }
    }));
    ctx.restore();
  },
};
Chart.register(ranges);
Chart.defaults.color = dark ? '#ddd' : '#333';
Chart.defaults.borderColor = dark ? '#555' : '#ddd';
Chart.defaults.animation = false;
const colour = (peer, series) =>
  peer.startsWith('laneway') ? ['#1f77b4', '#aec7e8'][series] :
  peer.startsWith('bare') ? ['#555f6b', '#a3abb5'][series] : ['#ff9f40', '#ffd0a0'][series];
for (const holder of document.querySelectorAll('[data-chart]')) {
  const data = JSON.parse(holder.dataset.chart);
  const canvas = holder.appendChild(document.createElement('canvas'));
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', 'Bar chart, the same numbers as in the table below: ' + data.unit);
  const shown = data.series.flatMap(series => series.medians).filter(value => value > 0);
  const wide = shown.length > 0 && Math.max(...shown) / Math.min(...shown) > 50;
  holder.style.height = 60 + 24 * data.peers.length * data.series.length + 'px';
  new Chart(canvas, {
    type: 'bar',
    data: {
      labels: data.peers,
      datasets: data.series.map((series, index) => ({
        label: series.name,
        data: series.medians,
        ranges: series.ranges,
        backgroundColor: data.peers.map(peer => colour(peer, index)),
      })),
    },
    options: {
      indexAxis: 'y',
      maintainAspectRatio: false,
      scales: {
        x: {
          type: wide ? 'logarithmic' : 'linear',
          suggestedMax: Math.max(0, ...data.series.flatMap(series => series.ranges.flat())),
          title: { display: true, text: data.unit + (wide ? ', logarithmic' : '') },
          ticks: { maxTicksLimit: 8, maxRotation: 0 },
        },
      },
      plugins: {
        legend: { display: data.series.length > 1 },
        tooltip: { callbacks: { label: item => data.series[item.datasetIndex].texts[item.dataIndex] } },
      },
    },
  });
}
// A canvas keeps the width it was drawn with: for paper it is drawn anew.
addEventListener('beforeprint', () => Object.values(Chart.instances).forEach(chart => chart.resize()));
addEventListener('afterprint', () => Object.values(Chart.instances).forEach(chart => chart.resize()));
