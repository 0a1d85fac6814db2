import { useState } from 'react';
import { texts } from './texts';

/** Copies a text, on plain http too. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // no secure context, or not allowed
    const area = document.createElement('textarea');
    area.value = text;
    (document.querySelector('dialog[open]') ?? document.body).append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}

/** Copies a text: an id, a command line. */
export function Copy({ text, label, className = 'plain small' }: { text: string; label?: string; className?: string }) {
  const t = texts.use();
  const [done, setDone] = useState(false);
  const copy = async () => {
    await copyText(text);
    setDone(true);
    setTimeout(() => setDone(false), 2000);
  };
  return (
    <button type="button" className={className} onClick={copy}>
      <span aria-live="polite">{done ? t('copied') : (label ?? t('copy'))}</span>
    </button>
  );
}
