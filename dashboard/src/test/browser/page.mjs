// Opens pages in a real browser and watches them. Argument: a JSON file {out, pages: [{name, url, ...}]}. Prints READY
// when all are open, then one line "name: ..." for each thing seen; exits with 1 and the reasons if anything is wrong.

import { chromium } from 'playwright-core';
import { AxeBuilder } from '@axe-core/playwright';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const plan = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const wrong = [];
mkdirSync(plan.out, { recursive: true });

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || BROWSERS.find(existsSync),
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--enable-precise-memory-info'],
});

function fail(name, what) {
  wrong.push(name + ': ' + what);
}

/** Looks 20 times a second: the browser's own way, once a frame, stands still in pages that are behind others. */
function until(page, condition, argument, timeout) {
  return page.waitForFunction(condition, argument, { timeout, polling: 50 });
}

async function open(of) {
  const context = await browser.newContext({
    viewport: of.narrow ? { width: 390, height: 844 } : { width: 1120, height: 760 },
    colorScheme: of.dark ? 'dark' : 'light',
    deviceScaleFactor: 1,
  });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !of.expected) fail(of.name, 'console: ' + message.text());
  });
  page.on('pageerror', (error) => fail(of.name, 'error: ' + error.message));
  page.on('requestfailed', (request) => {
    if (!of.closing) fail(of.name, 'failed: ' + request.url() + ' ' + request.failure().errorText);
  });
  await page.addInitScript(() => {
    window.longTasks = [];
    new PerformanceObserver((list) => list.getEntries().forEach((one) => window.longTasks.push(one.duration)))
      .observe({ type: 'longtask', buffered: true });
  });
  await page.goto(of.url);
  const live = () => document.getElementById('link').textContent === 'live';
  await until(page, live, null, 20000).catch(async (error) => {
    fail(of.name, 'does not open: ' + error.message.split('\n')[0] + ' It says: ' + await page.textContent('#link'));
  });
  return page;
}

/** Waits until the page has the right verdict. */
async function verdict(of, page) {
  if (of.cause === undefined) return;
  await until(page,
    ([outcome, cause]) => {
      const verdict = document.getElementById('verdict');
      return verdict.classList.contains(outcome) && verdict.dataset.cause === cause;
    },
    [of.outcome, of.cause], 90000);
  console.log(of.name + ': verdict ' + of.cause + ' at ' + Date.now());
}

async function check(of, page) {
  await verdict(of, page);
  if (of.link) {
    await until(page, (link) => document.getElementById('link').textContent === link, of.link, 30000);
    console.log(of.name + ': ' + of.link);
  }
  if (of.blame) {
    const blame = await page.textContent('#blame');
    if (!blame.includes(of.blame)) fail(of.name, 'blames ' + blame);
  }
  if (of.moves) {
    const at = 'dl.figures div:nth-child(1) dd';
    const counter = () => page.evaluate(() => document.querySelector('#counters dd')?.textContent);
    const before = await counter();
    await until(page, (was) => document.querySelector('#counters dd')?.textContent !== was, before, 10000);
    console.log(of.name + ': moved from ' + before + ' to ' + await counter() + ', done a second '
      + await page.textContent(at));
    if (await page.locator('.chart canvas').count() < 2) fail(of.name, 'has no charts');
  }
  for (const [selector, words] of of.says || []) {
    await until(page, ([place, wanted]) => document.querySelector(place)?.textContent.includes(wanted),
      [selector, words], 60000);
    console.log(of.name + ': says ' + words);
  }
  if (of.unfolds) await unfolds(of, page);
  if (of.scroll) await page.locator(of.scroll).scrollIntoViewIfNeeded();
  if (of.refusal) await refusal(of, page);
  if (of.pause) await pause(of, page);
  if (of.keyboard) await keyboard(of, page);
  if (of.seconds) await scale(of, page);
  if (of.after) await page.waitForTimeout(of.after);
  await page.waitForTimeout(500); // Colours fade in.
  await page.screenshot({ path: plan.out + '/' + of.name + '.png' });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (wide > 0) fail(of.name, 'is ' + wide + ' pixels wider than the screen');
  const axe = await new AxeBuilder({ page }).analyze();
  for (const violation of axe.violations) {
    fail(of.name, 'axe ' + violation.id + ': ' + violation.nodes.map((node) => node.html).slice(0, 3).join(' '));
  }
  console.log(of.name + ': axe passed ' + axe.passes.length + ' rules');
}

/** What a reader has unfolded, and where the keyboard is, outlives the next frames. */
async function unfolds(of, page) {
  const place = page.locator(of.unfolds).first();
  await place.focus();
  await page.keyboard.press('Enter');
  await page.evaluate(() => { window.seen = document.querySelector('#oldest span').textContent; });
  await until(page, () => document.querySelector('#oldest span').textContent !== window.seen, null, 10000);
  const stays = await page.evaluate(() => document.activeElement.tagName === 'SUMMARY'
    && document.activeElement.parentElement.open);
  if (!stays) fail(of.name, 'folds what was unfolded, or loses the focus');
  console.log(of.name + ': stays unfolded');
}

/** An action without the token is refused, as is one of another site. */
async function refusal(of, page) {
  const status = await page.evaluate(async () => {
    const body = JSON.stringify({ action: 'pause', confirm: 'pause' });
    const headers = { 'Content-Type': 'application/json' };
    return (await fetch('actions', { method: 'POST', headers, body })).status;
  });
  if (status !== 401) fail(of.name, 'pause without a token is answered ' + status);
  console.log(of.name + ': pause without the token is answered ' + status);
}

async function pause(of, page) {
  await page.click('button[data-action=pause]');
  await page.waitForSelector('dialog[open]');
  const axe = await new AxeBuilder({ page }).include('dialog').analyze();
  axe.violations.forEach((violation) => fail(of.name, 'axe in the dialog: ' + violation.id));
  await page.click('#confirm-no');
  await page.click('button[data-action=pause]');
  await page.click('#confirm-yes');
  await until(page, () => /paused by the user/i.test(document.getElementById('sentence').textContent), null, 10000);
  console.log(of.name + ': paused');
  await page.click('button[data-action=resume]');
  await page.click('#confirm-yes');
  await until(page, () => !/paused/i.test(document.getElementById('sentence').textContent), null, 20000);
  console.log(of.name + ': resumed');
}

/** All that can be done can be done by keys. */
async function keyboard(of, page) {
  await page.evaluate(() => document.activeElement.blur());
  const reached = new Set();
  for (let i = 0; i < 25; i++) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.className
      || document.activeElement.name || document.activeElement.tagName));
  }
  for (const id of ['skip', 'theme', 'heat', 'heat-scroll']) {
    if (!reached.has(id)) fail(of.name, 'Tab does not reach ' + id + ', but ' + [...reached]);
  }
  await page.focus('input[name=heat]:checked');
  await page.keyboard.press('ArrowRight');
  const mode = await page.evaluate(() => document.querySelector('input[name=heat]:checked').value);
  if (mode !== 'hold') fail(of.name, 'the heat map does not change by keys');
}

/** The longest task of a page's main thread, in milliseconds of its own processor time: what others do counts not. */
function longestTask(trace, mark) {
  const events = JSON.parse(trace).traceEvents;
  const here = events.find((event) => event.name === mark);
  const tasks = events.filter((event) => event.ph === 'X' && event.name.endsWith('RunTask')
    && event.pid === here?.pid && event.tid === here?.tid && event.tdur !== undefined);
  return tasks.length === 0 ? NaN : Math.max(...tasks.map((event) => event.tdur)) / 1000;
}

/** For a while: little work each second, and a heap that does not grow. Other programs' work does not count. */
async function scale(of, page) {
  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  const heap = async () => {
    await client.send('HeapProfiler.collectGarbage');
    return (await client.send('Runtime.getHeapUsage')).usedSize;
  };
  const work = async () => (await client.send('Performance.getMetrics')).metrics
    .find((metric) => metric.name === 'TaskDuration').value;
  await page.waitForTimeout(2000);
  const before = await heap();
  await browser.startTracing(page, { categories: ['toplevel', 'blink.user_timing'] });
  await page.evaluate((mark) => performance.mark(mark), of.name);
  const from = await work();
  const began = performance.now();
  await page.evaluate(() => { window.longTasks.length = 0; });
  await page.waitForTimeout(1000 * of.seconds);
  const took = await work() - from;
  const seconds = (performance.now() - began) / 1000; // Longer than was asked for where the page is behind.
  const each = Math.round(1000 * took / seconds);
  const longest = Math.round(Math.max(0, ...await page.evaluate(() => window.longTasks)));
  const task = longestTask(await browser.stopTracing(), of.name);
  const after = await heap();
  console.log(of.name + ': ' + each + ' ms of work a second, longest task ' + Math.round(task)
    + ' ms of processor time, ' + longest + ' ms by the clock, heap '
    + Math.round(before / 1e3) + ' to ' + Math.round(after / 1e3) + ' kB in ' + Math.round(seconds) + ' s');
  if (each > of.most) fail(of.name, each + ' ms of work a second');
  if (!(task < of.most)) fail(of.name, 'the longest task takes ' + task + ' ms of processor time');
  if (after > 1.3 * before + 2e6) fail(of.name, 'the heap grew from ' + before + ' to ' + after);
}

try {
  const pages = []; // One after another: a browser that opens ten pages at once takes long for each of them.
  for (const of of plan.pages) pages.push(await open(of));
  console.log('READY');
  const failed = (of, page) => async (error) => {
    fail(of.name, error.message.split('\n')[0] + ' It says: '
      + (await page.textContent('#verdict')).replace(/\s+/g, ' '));
    await page.screenshot({ path: plan.out + '/failed-' + of.name + '.png' });
  };
  await Promise.all(plan.pages.map((of, at) => check(of, pages[at]).catch(failed(of, pages[at]))));
  plan.pages.forEach((of) => { of.closing = true; });
} catch (error) {
  wrong.push(error.message);
}
await browser.close();
wrong.forEach((line) => console.log('WRONG ' + line));
process.exit(wrong.length === 0 ? 0 : 1);
