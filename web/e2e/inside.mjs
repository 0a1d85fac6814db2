// Functions that run inside the page (they are sent there as text: nothing from outside
// can be used in them). Each gives a list of what is wrong.

// units tests the parts of the page that have no looks, in the browser that runs them.
export async function units() {
  const wrong = [];
  const is = (what, got, want) => { if (JSON.stringify(got) !== JSON.stringify(want)) wrong.push(`${what}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`); };
  const { LiveText } = await import('/lib/text.js');
  const live = new LiveText();
  is('first piece', live.add('text', 0, 'Hé👍🏽'), true);
  is('next piece, by code points', live.add('text', 4, ' ok'), true);
  is('doubled piece', live.add('text', 2, '👍🏽 o'), true);
  is('overlapping piece', live.add('text', 5, 'ok!'), true);
  is('text', live.text, 'Hé👍🏽 ok!');
  is('a gap is noticed', live.add('text', 99, 'x'), false);
  live.set('text', 'Hé👍🏽 ok!?');
  is('after a snapshot', live.add('text', 9, '.'), true);
  is('text again', live.text, 'Hé👍🏽 ok!?.');
  is('kinds are apart', live.thinking, '');

  const markdown = await import('/lib/markdown.js');
  const shown = (text) => { const el = document.createElement('div'); markdown.render(el, text); return el; };
  const html = (text) => shown(text).innerHTML;
  is('paragraphs', html('a\nb\n\nc'), '<p>a<br>b</p><p>c</p>');
  is('a list', html('x:\n- a\n- **b** `c`'), '<div><p>x:</p><ul><li>a</li><li><strong>b</strong> <code>c</code></li></ul></div>');
  is('numbers', html('2. a\n3. b'), '<ol start="2"><li>a</li><li>b</li></ol>');
  is('code', shown('```js\nlet a = "<b>";\n\nx\n```\nafter').querySelector('code').textContent, 'let a = "<b>";\n\nx');
  is('open code', shown('```\nhalf').querySelector('code').textContent, 'half');
  is('markup stays text', shown('<img src=x onerror=alert(1)><script>alert(1)</script>').querySelectorAll('img,script').length, 0);
  is('its text', shown('<b>x</b>').textContent, '<b>x</b>');
  for (const bad of ['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', ' javascript:alert(1)', 'file:///etc/passwd', '//x']) {
    is(`no link to ${bad}`, shown(`[a](${bad})`).querySelectorAll('a').length, 0);
  }
  is('no image', shown('![a](https://example.org/x.png)').querySelectorAll('img').length, 0);
  const link = shown('[site](https://example.org/a?b=1)').querySelector('a');
  is('a link', [link.href, link.rel, link.target, link.textContent], ['https://example.org/a?b=1', 'noopener noreferrer nofollow', '_blank', 'site']);
  is('a bare link', shown('see https://example.org/x.').querySelector('a').href, 'https://example.org/x');
  const grown = shown('one\n\ntw');
  const first = grown.firstElementChild;
  markdown.render(grown, 'one\n\ntwo\n\nthree');
  is('finished blocks are kept', [first === grown.firstElementChild, grown.textContent], [true, 'onetwothree']);
  const text = Array.from({ length: 2000 }, (_, i) => `**a${i} *b* [x](http://y.zz) \`c\``).join(' ');
  const begun = performance.now();
  shown(text + '*'.repeat(3000) + '['.repeat(3000));
  if (performance.now() - begun > 2000) wrong.push(`Markdown took ${performance.now() - begun} ms`);

  const { approval, comparison } = await import('/views/approvals.js');
  const table = comparison({ name: 'a', data: { value: 1 }, same: 1 }, { name: 'b', data: { value: 1, note: null }, same: 1 });
  is('a comparison', [...table.querySelectorAll('tbody tr')].map((r) => r.textContent), ['nameab', 'data.notenothing']);
  const card = approval({
    id: 'apr_1', kind: 'actions', status: 'open', reasons: [], actions: [
      { id: 'exe_1', text: 'One', command: 'A', params: {}, warnings: ['old'] }, { id: 'exe_2', text: 'Two', command: 'B', params: {} }],
  }, (body) => { sent.push(body); return Promise.reject(new Error('not now')); });
  const sent = [];
  document.body.append(card);
  const buttons = () => [...card.querySelectorAll('.buttons button')];
  is('its buttons', buttons().map((b) => b.textContent), ['Approve all', 'Approve selected (2)', 'Refuse']);
  card.querySelectorAll('input[type=checkbox]')[0].click();
  is('one is left out', buttons()[1].textContent, 'Approve selected (1)');
  card.querySelector('textarea').value = ' why ';
  buttons()[1].click();
  buttons()[1].click(); // held while the first is under way
  is('what is sent', sent, [{ approved: true, approved_ids: ['exe_2'], comment: 'why' }]);
  await new Promise((done) => setTimeout(done, 0));
  buttons()[2].click(); // it failed: let go, with what was typed
  is('what is sent then', sent[1], { approved: false, comment: 'why' });
  card.remove();

  const { readable } = await import('/views/messages.js');
  is('plain text', readable('Hello {'), 'Hello {');
  is('a JSON answer', readable('{"pre_text": "Say \\"hi\\"\\nthere\\u00e9 \\u00'), 'Say "hi"\nthereé ');
  is('a JSON answer, not there yet', readable('```json\n{"pre'), '');

  const { Conversation } = await import('/lib/conversation.js');
  const c = new Conversation('ses_1');
  const session = { id: 'ses_1', last_seq: 10, last_event_time: new Date().toISOString(), phase: 'IDLE', status: 'idle' };
  const message = (id, seq, more = {}) => ({ message: { id, seq, session_id: 'ses_1', sender: 'AI', status: 'stored', ...more } });
  c.apply('message.created', 12, message('m2', 12)); // comes while the rest is read
  c.apply('message.deleted', 9, message('m1', 5)); // contained in what is read
  c.load(session, [message('m1', 5).message], [], 0);
  is('what came meanwhile', c.timeline().map((i) => i.key), ['m1', 'm2']);
  c.apply('message.created', 12, message('m2', 12)); // replayed
  is('a repeated event', c.timeline().length, 2);
  c.apply('message.delta', 0, { session_id: 'ses_1', message_id: 'm2', kind: 'text', offset: 0, text: 'late' });
  is('late text of a finished message', c.live.size, 0);
  c.apply('session.phase', 13, { session_id: 'ses_1', phase: 'CALLING_AI', status: 'running' });
  c.apply('message.delta', 0, { session_id: 'ses_1', message_id: 'm3', kind: 'text', offset: 0, text: 'a' });
  c.apply('message.delta', 0, { session_id: 'other', message_id: 'm4', kind: 'text', offset: 0, text: 'b' });
  is('text of this session only', [...c.live.keys()], ['m3']);
  c.doubt();
  c.forget();
  is('text that nobody confirmed', c.live.size, 0);
  return wrong;
}

// contrast measures every visible text against its ground: 4.5, or 3 for large text.
export function contrast() {
  const wrong = [];
  const parse = (c) => { const m = c.match(/[\d.]+/g).map(Number); return { r: m[0], g: m[1], b: m[2], a: m[3] ?? 1 }; };
  const over = (top, under) => ({ r: top.r * top.a + under.r * (1 - top.a), g: top.g * top.a + under.g * (1 - top.a), b: top.b * top.a + under.b * (1 - top.a), a: 1 });
  const light = ({ r, g, b }) => {
    const f = (v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
    return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b);
  };
  const ground = (el) => {
    const layers = [];
    for (let e = el; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.a > 0) layers.push(c);
      if (c.a === 1) break;
    }
    return layers.reverse().reduce((under, top) => over(top, under), parse(getComputedStyle(document.body).backgroundColor));
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (walker.nextNode()) {
    const el = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || seen.has(el) || !el.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    seen.add(el);
    if (el.closest('.visually-hidden, .skip, noscript, script')) continue;
    const style = getComputedStyle(el);
    const under = ground(el);
    let opacity = 1;
    for (let e = el; e; e = e.parentElement) opacity *= Number(getComputedStyle(e).opacity);
    const colour = parse(style.color);
    const [a, b] = [light(over({ ...colour, a: colour.a * opacity }, under)), light(under)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) wrong.push(`contrast ${ratio.toFixed(2)}: ${el.tagName} ${el.className} “${el.textContent.trim().slice(0, 40)}”`);
  }
  return wrong;
}

// labels finds fields and buttons without a name, and doubled ids.
export function labels() {
  const wrong = [];
  for (const el of document.querySelectorAll('input, textarea, select')) {
    if (!el.labels?.length && !el.getAttribute('aria-label') && !el.getAttribute('aria-labelledby')) wrong.push(`no label: ${el.outerHTML.slice(0, 80)}`);
  }
  for (const el of document.querySelectorAll('button, a[href], summary')) {
    if (!(el.getAttribute('aria-label') ?? el.textContent).trim()) wrong.push(`no name: ${el.outerHTML.slice(0, 80)}`);
  }
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
  for (const id of new Set(ids)) if (ids.filter((i) => i === id).length > 1) wrong.push(`the id ${id} twice`);
  for (const ref of document.querySelectorAll('[for], [aria-labelledby], [aria-describedby]')) {
    for (const id of (ref.getAttribute('for') ?? ref.getAttribute('aria-labelledby') ?? ref.getAttribute('aria-describedby')).split(' ')) {
      if (id && !document.getElementById(id)) wrong.push(`${id} is named and does not exist`);
    }
  }
  return wrong;
}
