'use strict';
// One horizontal bar chart for each element with data: medians, and the range in the tooltip.
const dark = matchMedia('(prefers-color-scheme: dark)').matches;
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
        backgroundColor: data.peers.map(peer => colour(peer, index)),
      })),
    },
    options: {
      indexAxis: 'y',
      maintainAspectRatio: false,
      scales: { x: { type: wide ? 'logarithmic' : 'linear', title: { display: true, text: data.unit } } },
      plugins: {
        legend: { display: data.series.length > 1 },
        tooltip: { callbacks: { label: item => data.series[item.datasetIndex].texts[item.dataIndex] } },
      },
    },
  });
}
