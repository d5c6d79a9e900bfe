// Numbers as people read them. What is not known is a dash with a word for those who listen.

export const UNKNOWN = '–';

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function count(value) {
  if (value === null || value === undefined) return UNKNOWN;
  return Math.abs(value) < 100000 ? whole.format(value) : short.format(value);
}

/** For the axis of a chart, where there is little room. */
export function brief(value) {
  if (Math.abs(value) < 10 && value % 1 !== 0) return value.toFixed(1);
  return Math.abs(value) < 10000 ? count(value) : short.format(value);
}

export function rate(value) {
  if (value === null || value === undefined) return UNKNOWN;
  return Math.abs(value) < 10 && value % 1 !== 0 ? value.toFixed(1) : count(value);
}

export function percent(share) {
  return share === null || share === undefined ? UNKNOWN : Math.round(100 * share) + ' %';
}

export function seconds(value) {
  if (value === null || value === undefined) return UNKNOWN;
  if (value < 10) return value.toFixed(1) + ' s';
  if (value < 600) return Math.round(value) + ' s';
  if (value < 36000) return Math.round(value / 60) + ' min';
  return value < 345600 ? Math.round(value / 3600) + ' h' : Math.round(value / 86400) + ' d';
}

/** A time between two bounds, of which the upper one may not be known. */
export function between(low, high) {
  if (low === null || low === undefined) return UNKNOWN;
  if (high === 0) return '0 s';
  if (high === null || high === undefined) return '> ' + seconds(low);
  return seconds((low + high) / 2) + ' ± ' + seconds((high - low) / 2);
}

export function bytes(value) {
  if (value === null || value === undefined) return UNKNOWN;
  if (value < 1e6) return Math.round(value / 1e3) + ' kB';
  return (value / 1e6).toFixed(value < 1e7 ? 1 : 0) + ' MB';
}

export function clock(millis) {
  return new Date(millis).toLocaleTimeString('en-GB');
}

export function ago(fromMillis, toMillis) {
  const passed = Math.max(0, (toMillis - fromMillis) / 1000);
  return passed < 60 ? Math.round(passed) + ' s' : seconds(passed);
}

/** processed -> "processed", failedAttempts -> "failed attempts". */
export function name(key) {
  return key.replace(/[A-Z]/g, (letter) => ' ' + letter.toLowerCase());
}
