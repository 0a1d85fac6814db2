import type { FieldError } from '../../api/problem';
import { Field } from '../../ui/Field';
import css from './automations.module.css';
import { errorAt, errorBelow } from './errors';
import { formTexts } from './formTexts';
import { remove, setText, type Part } from './parts';

interface Props { parts: Part[]; onChange: (parts: Part[]) => void; errors: FieldError[]; empty: boolean }

/** What is to be done: a text, and blocks of data within it. */
export function Request({ parts, onChange, errors, empty }: Props) {
  const t = formTexts.use();
  const wrong = empty ? t('what.wrong') : errorAt(errors, '/seed') ?? errorBelow(errors, '/seed');
  const rows = (text: string) => Math.min(14, Math.max(parts.length > 1 ? 2 : 4, text.split('\n').length + 1, Math.ceil(text.length / 80)));
  return (
    <fieldset className="stack tight" id="what">
      <legend><h2>{t('what.title')}</h2></legend>
      {parts.map((part, i) => (part.block
        ? <p key={part.key} className={css.block}><span className="grow">{part.summary || part.block.type}</span><button type="button" className="plain small" onClick={() => onChange(remove(parts, part.key))}>✕</button></p>
        : (
          <Field key={part.key} label={i === 0 ? t('what.label') : <span className="visually-hidden">{t('what.more')}</span>} hint={i === 0 ? t('what.hint') : undefined} wrong={i === 0 ? wrong : undefined}>
            <textarea rows={rows(part.text ?? '')} maxLength={100000} placeholder={parts.length === 1 ? t('what.example') : undefined}
              value={part.text} onChange={(e) => onChange(setText(parts, part.key, e.target.value))} />
          </Field>
        )))}
    </fieldset>
  );
}
