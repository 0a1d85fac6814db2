import { useState } from 'react';
import { useEvents } from '../events/react';
import { texts } from './texts';

interface Shown {
  id: number;
  level: string;
  code: string;
  text: string;
}
let next = 0;

/** Short texts of the server for people. Those that only inform leave by themselves; all
 * of them stand in the record too. */
export function Notices() {
  const t = texts.use();
  const [shown, setShown] = useState<Shown[]>([]);
  const drop = (id: number) => setShown((now) => now.filter((n) => n.id !== id));
  useEvents((event) => {
    if (event.name !== 'notice') return;
    // What failed in the session that is open stands in its record, where the person looks.
    if (
      event.data.level === 'error' &&
      event.data.session_id &&
      event.data.session_id === document.body.dataset.session
    )
      return;
    const id = next++;
    const { level, code, text } = event.data;
    setShown((now) => [...now.filter((n) => n.code !== code), { id, level, code, text }].slice(-3));
    if (level === 'info') setTimeout(() => drop(id), 8000);
  });
  return (
    <div className="notices" role="region" aria-label={t('notice.region')} aria-live="polite">
      {shown.map((n) => (
        <div
          key={n.id}
          className={`box row between ${n.level === 'error' ? 'bad' : n.level === 'warning' ? 'warn' : 'ok'}`}
          data-code={n.code}
        >
          <span className="grow">{n.text}</span>
          <button
            type="button"
            className="plain small"
            aria-label={t('notice.close')}
            title={t('notice.close')}
            onClick={() => drop(n.id)}
          >
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
