import { getLang } from '../i18n/lang';
import { texts } from './texts';

/** A text that the server has only in English, for troubleshooting: on a French page it is folded. */
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
