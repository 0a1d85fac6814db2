import { getLang } from '../i18n/lang';
import { texts } from './texts';

/** A sentence that the server has in English alone, for whoever looks into what went wrong: on a French page it
 * waits in a fold. */
export function ServerText({ text }: { text: string }) {
  const t = texts.use();
  if (getLang() === 'en') return <p className="small">{text}</p>;
  return (
    <details className="small">
      <summary>{t('problem.detail')}</summary>
      <p lang="en">{text}</p>
    </details>
  );
}
