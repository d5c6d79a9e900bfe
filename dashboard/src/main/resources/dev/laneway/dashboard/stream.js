// Server-sent events by fetch, which unlike EventSource can send the token in a header: an address with a token in it
// would stand in logs. Connects again by itself.

const PAUSE = 1000;
const MOST_PAUSE = 10000;
const SILENCE = 20000;
const STALE = 10000; // The server says every 15 seconds that it is there.

/**
 * Listens until stop() of what it returns is called.
 *
 * @param token null if there is none
 * @param on called with (name, data)
 * @param state called with 'live', 'silent' if the server is there and shows nothing new, 'lost' or 'refused'
 */
export function listen(token, on, state) {
  let stopped = false;
  let pause = PAUSE;
  let running = null;
  let shown = 0; // When the latest frame came.

  async function once() {
    running = new AbortController();
    const headers = token ? { Authorization: 'Bearer ' + token } : {};
    const response = await fetch('events', { headers, signal: running.signal, cache: 'no-store' });
    if (response.status === 401) {
      stopped = true;
      state('refused');
      return;
    }
    if (!response.ok) throw new Error('answer ' + response.status);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const silence = setTimeout(() => running.abort(), SILENCE);
      const { value, done } = await reader.read();
      clearTimeout(silence);
      if (done) return;
      pause = PAUSE;
      text += value;
      let end;
      while ((end = text.indexOf('\n\n')) >= 0) {
        deliver(text.slice(0, end));
        text = text.slice(end + 2);
      }
    }
  }

  function deliver(event) {
    const match = /^event: (\w+)\ndata: (.*)$/s.exec(event);
    if (match) {
      shown = Date.now();
      state('live');
      on(match[1], JSON.parse(match[2]));
    } else if (Date.now() - shown >= STALE) {
      state('silent'); // The server is there, but its looks do not end: what is shown is old.
    }
  }

  (async () => {
    while (!stopped) {
      try {
        await once();
      } catch (lost) {
        // The server has gone, or refuses for now: told below, and tried again.
      }
      if (!stopped) {
        state('lost');
        await new Promise((resolve) => setTimeout(resolve, pause));
        pause = Math.min(MOST_PAUSE, 2 * pause);
      }
    }
  })();

  return {
    stop() {
      stopped = true;
      if (running) running.abort();
    },
  };
}
