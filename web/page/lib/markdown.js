// A small part of Markdown, built as nodes: paragraphs, headings, lists, quotes, code,
// bold, italics and http(s) links. No HTML, no images: what is not understood stays
// text.
import { h } from './dom.js';

// blocks cuts a text into pieces that can be rendered apart, so that a growing answer
// only builds its last piece again.
export function blocks(text) {
  const out = [];
  let lines = [];
  let fence = '';
  const flush = () => {
    if (lines.length) out.push(lines.join('\n'));
    lines = [];
  };
  for (const line of text.split('\n')) {
    const mark = /^\s*(```+|~~~+)/.exec(line);
    if (fence) {
      lines.push(line);
      if (mark && mark[1].startsWith(fence) && line.trim() === mark[1]) { fence = ''; flush(); }
    } else if (mark) {
      flush();
      fence = mark[1];
      lines.push(line);
    } else if (line.trim() === '') {
      flush();
    } else {
      lines.push(line);
    }
  }
  flush();
  return out;
}

// render fills container with text, keeping the blocks that did not change.
export function render(container, text) {
  const parts = blocks(text);
  parts.forEach((part, i) => {
    const node = container.children[i];
    if (node && node.sourceText === part) return;
    const made = block(part);
    made.sourceText = part;
    if (node) node.replaceWith(made);
    else container.append(made);
  });
  while (container.children.length > parts.length) container.lastElementChild.remove();
}

const bullet = /^\s*[-*+]\s+(.*)$/;
const number = /^\s*(\d{1,9})[.)]\s+(.*)$/;

function block(source) {
  const lines = source.split('\n');
  if (/^\s*(```|~~~)/.test(lines[0])) {
    const closed = lines.length > 1 && /^\s*(```+|~~~+)\s*$/.test(lines[lines.length - 1]);
    return h('pre', { tabindex: '0' }, h('code', { text: lines.slice(1, closed ? -1 : undefined).join('\n') }));
  }
  const heading = /^(#{1,6})\s+(.*)$/.exec(lines[0]);
  if (heading && lines.length === 1) return h('p', { class: 'md-heading' }, h('strong', {}, inline(heading[2])));
  if (lines.every((l) => l.startsWith('>'))) {
    return h('blockquote', {}, block(lines.map((l) => l.replace(/^>\s?/, '')).join('\n') || ' '));
  }
  const first = lines.findIndex((l) => bullet.test(l) || number.test(l));
  if (first === 0) return list(lines);
  if (first > 0) {
    return h('div', {}, paragraph(lines.slice(0, first)), list(lines.slice(first)));
  }
  return paragraph(lines);
}

function paragraph(lines) {
  const p = h('p');
  lines.forEach((line, i) => {
    if (i > 0) p.append(h('br'));
    p.append(...inline(line));
  });
  return p;
}

function list(lines) {
  const ordered = number.test(lines[0]);
  const start = ordered ? Number(number.exec(lines[0])[1]) : 1;
  const el = h(ordered ? 'ol' : 'ul', ordered && start !== 1 ? { start } : {});
  for (const line of lines) {
    const item = (ordered ? number.exec(line)?.[2] : bullet.exec(line)?.[1])
      ?? bullet.exec(line)?.[1] ?? number.exec(line)?.[2];
    if (item !== undefined) el.append(h('li', {}, inline(item)));
    else el.lastElementChild.append(h('br'), ...inline(line.trim()));
  }
  return el;
}

const marks = /(`+)([^`]+?)\1|\*\*([^*]+(?:\*[^*]+)*?)\*\*|__([^_]+?)__|\*([^*\s][^*]*?)\*|\[([^\]]+)\]\(([^()\s]+)\)|(https?:\/\/[^\s<>"'`]+)/g;

// inline turns one line into nodes.
export function inline(text) {
  const out = [];
  let last = 0;
  for (const m of text.matchAll(marks)) {
    if (m.index > last) out.push(text.slice(last, m.index));
    out.push(mark(m));
    last = m.index + m[0].length;
  }
  if (last < text.length) out.push(text.slice(last));
  return out;
}

function mark(m) {
  const [whole, , code, bold, bold2, italics, label, target, bare] = m;
  if (code !== undefined) return h('code', { text: code.trim() || code });
  if (bold ?? bold2) return h('strong', {}, inline(bold ?? bold2));
  if (italics !== undefined) return h('em', {}, inline(italics));
  if (target !== undefined) return link(target, label) ?? whole;
  const trimmed = bare.replace(/[.,;:!?)\]]+$/, '');
  return h('span', {}, link(trimmed, trimmed) ?? trimmed, bare.slice(trimmed.length));
}

// link makes a link of an http(s) address and nothing of any other.
function link(target, label) {
  let url;
  try { url = new URL(target); } catch { return null; }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null;
  return h('a', { href: url.href, rel: 'noopener noreferrer nofollow', target: '_blank', text: label });
}
