import { useState, type ReactNode } from 'react';
import { useFormat } from '../../../i18n/format';
import { texts } from '../texts';

interface Props {
  text: string;
  most: number;
  children: (shown: string) => ReactNode;
}

/** A text that may be very long: truncated until it is expanded. */
export function Long({ text, most, children }: Props) {
  const t = texts.use();
  const f = useFormat();
  const [all, setAll] = useState(false);
  if (text.length <= most * 1.2) return children(text);
  return (
    <>
      {children(all ? text : `${text.slice(0, most)}…`)}
      <p>
        <button type="button" className="link small" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t('show.less') : t('show.all', { size: f.bytes(text.length) })}
        </button>
      </p>
    </>
  );
}
