// The page's language: the browser's, or what the person chose.
import en from './texts.en.js';
import fr from './texts.fr.js';

const texts = { en, fr };
const store = 'fermata.lang';

export let lang = pick();
let plural = new Intl.PluralRules(lang);
document.documentElement.lang = lang;

function pick() {
  const chosen = localStorage.getItem(store);
  if (chosen in texts) return chosen;
  const wanted = (navigator.languages ?? [navigator.language]).map((l) => l.slice(0, 2).toLowerCase());
  return wanted.find((l) => l in texts) ?? 'en';
}

export function setLang(next) {
  lang = next;
  plural = new Intl.PluralRules(lang);
  localStorage.setItem(store, next);
  document.documentElement.lang = next;
}

export const other = () => (lang === 'en' ? 'fr' : 'en');
export const has = (key) => key in texts[lang];

// t is the text of a key, with {names} filled in; params.n picks the plural form.
export function t(key, params = {}) {
  let text = texts[lang][key];
  if (text === undefined) return key;
  if (typeof text === 'object') text = text[plural.select(params.n ?? 0)] ?? text.other;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in params ? String(params[name]) : whole));
}

// locale is the browser's own variant of the page's language (en-GB, fr-CA), for times.
const locale = () => (navigator.languages ?? []).find((l) => l.toLowerCase().startsWith(lang)) ?? lang;

const formats = new Map();

// time is a time of day, with the date when it is not today.
export function time(iso) {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  const today = at.toDateString() === new Date().toDateString();
  const key = `${lang}:${today}`;
  if (!formats.has(key)) {
    formats.set(key, new Intl.DateTimeFormat(locale(), today ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' }));
  }
  return formats.get(key).format(at);
}

// fill sets the texts of elements that name theirs with data-t (and data-t-label).
export function fill(root) {
  for (const el of root.querySelectorAll('[data-t]')) el.textContent = t(el.dataset.t);
  for (const el of root.querySelectorAll('[data-t-label]')) {
    el.setAttribute('aria-label', t(el.dataset.tLabel));
    if (el.title) el.title = t(el.dataset.tLabel);
  }
  for (const el of root.querySelectorAll('[data-t-placeholder]')) el.placeholder = t(el.dataset.tPlaceholder);
}
