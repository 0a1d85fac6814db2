import { useId, useState } from 'react';
import { visible } from '../../ui/visible';
import { texts as uiTexts } from '../../ui/texts';
import styles from './settings.module.css';
import { texts } from './texts';
import type { Draft, Settings } from './useSettings';

const escape = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** The workspace's own model prices; `model` is one without a price. */
export function Prices({ draft, settings, model }: { draft: Draft; settings: Settings; model?: string }) {
  const t = texts.use();
  const tu = uiTexts.use();
  const [added, setAdded] = useState<string[]>(model && !settings.prices[model] ? [model] : []);
  const [name, setName] = useState('');
  const rows = [...new Set([...Object.keys(settings.prices), ...added])].toSorted();
  const add = () => {
    const wanted = name.trim();
    if (wanted) setAdded([...added, wanted]);
    setName('');
  };
  return (
    <section className="stack tight" aria-labelledby="prices" id="prices-of-models">
      <h3 id="prices">{t('prices')}</h3>
      <p className="muted small">{t('prices.text')}</p>
      {rows.length > 0 && (
        <div className="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">{t('prices.model')}</th>
                <th scope="col">{t('prices.input')}</th>
                <th scope="col">{t('prices.output')}</th>
                <th scope="col">
                  <span className="visually-hidden">{tu('remove')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <Row
                  key={row}
                  name={row}
                  draft={draft}
                  stored={settings.prices[row]}
                  first={row === model}
                  onGone={() => setAdded(added.filter((other) => other !== row))}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div className="row">
        <input
          className={styles.model}
          aria-label={t('prices.model')}
          placeholder={t('prices.model.hint')}
          maxLength={200}
          value={name}
          onChange={(e) => setName(e.target.value)}
        />
        <button type="button" data-own="add" disabled={!name.trim()} onClick={add}>
          {t('prices.add')}
        </button>
      </div>
    </section>
  );
}

interface RowProps {
  name: string;
  draft: Draft;
  stored: Settings['prices'][string] | undefined;
  first: boolean;
  onGone: () => void;
}

/** Both prices are needed together: they are saved once the second is entered. */
function Row({ name, draft, stored, first, onGone }: RowProps) {
  const t = texts.use();
  const tu = uiTexts.use();
  const id = useId();
  const at = `/prices/${escape(name)}`;
  const [typed, setTyped] = useState({ input: show(stored?.input), output: show(stored?.output) });
  const change = (part: Partial<typeof typed>) => {
    const next = { ...typed, ...part };
    setTyped(next);
    const [input, output] = [number(next.input), number(next.output)];
    if (input !== null && output !== null) draft.set(at, { ...stored, input, output });
  };
  const wrong = draft.wrong(at);
  return (
    <tr data-price={name}>
      <th scope="row" id={id} className={styles.limit}>
        <bdi>{visible(name)}</bdi>
        {wrong && <p className={styles.wrong}>{wrong}</p>}
      </th>
      {(['input', 'output'] as const).map((part) => (
        <td key={part}>
          <input
            inputMode="decimal"
            className={styles.short}
            aria-label={t('prices.of', { model: name.slice(0, 80), what: t(`prices.${part}`) })}
            aria-invalid={typed[part] !== '' && number(typed[part]) === null ? true : undefined}
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the link that leads here is about this field
            autoFocus={first && part === 'input'}
            value={typed[part]}
            onChange={(e) => change({ [part]: e.target.value })}
          />
        </td>
      ))}
      <td>
        <button
          type="button"
          className="plain small"
          onClick={() => {
            if (stored) draft.set(at, null);
            onGone();
          }}
        >
          {tu('remove')}
        </button>
      </td>
    </tr>
  );
}

const show = (n: number | undefined) => (n === undefined ? '' : String(n));

/** Parses an amount; null if it is invalid. */
function number(text: string): number | null {
  const n = Number(text.trim().replace(',', '.'));
  return text.trim() !== '' && Number.isFinite(n) && n >= 0 ? n : null;
}
