import { FileBraces, Hourglass, Plug, SquarePen, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { Icon } from '../../../ui/Icon';
import css from '../connectors.module.css';
import { texts as listTexts } from '../texts';
import { Choice } from './ConfigFields';
import { FromDocument } from './FromDocument';
import { NewForm } from './NewForm';
import { texts } from './texts';

// The most common choices.
const whats = ['mcp', 'openapi', 'http', 'long_running'] as const;
type What = (typeof whats)[number];
const icons: Record<What, LucideIcon> = { mcp: Plug, openapi: FileBraces, http: SquarePen, long_running: Hourglass };

/** A new connector: first its kind, then the fields of that kind. */
export function New() {
  const t = texts.use();
  const tl = listTexts.use();
  const [what, setWhat] = useState<What>('mcp');
  return (
    <div className="stack">
      <p>
        <Link href="/settings/connectors">← {tl('back')}</Link>
      </p>
      <h3>{t('new.title')}</h3>
      <fieldset className="stack tight">
        <legend className="small">
          <strong>{t('new.what')}</strong>
        </legend>
        <div className={css.choices}>
          {whats.map((w) => (
            <Choice key={w} on={w === what} choose={() => setWhat(w)} name="connector-what">
              <Icon of={icons[w]} /> <strong>{t(`what.${w}`)}</strong>
              <br />
              <span className="small muted">{t(`what.${w}.text`)}</span>
            </Choice>
          ))}
        </div>
      </fieldset>
      {what === 'openapi' ? <FromDocument /> : <NewForm key={what} kind={what} />}
    </div>
  );
}
