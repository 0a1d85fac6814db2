// The list of chats as a drawer, where the screen is narrow.
const $ = (id) => document.getElementById(id);

export const shown = () => document.body.classList.contains('menu');

export function show(wanted) {
  const was = shown();
  document.body.classList.toggle('menu', wanted);
  $('side-open').setAttribute('aria-expanded', String(wanted));
  if (wanted) $('new').focus();
  else if (was && $('side').contains(document.activeElement)) $('side-open').focus();
}

$('side-open').addEventListener('click', () => show(true));
$('side-close').addEventListener('click', () => show(false));
