import { useId, useState } from 'react';
import { $api, type Schemas } from '../../api/client';
import { Read } from '../../ui/Read';
import { useWords } from '../../ui/session';
import { texts as uiTexts } from '../../ui/texts';
import { forms } from './fields';
import { Form } from './Form';
import styles from './settings.module.css';
import { texts } from './texts';
import type { Draft } from './useSettings';

type Chunk = Schemas['PromptChunk'];

/** What the AI is told before each conversation, part by part. */
export function Prompts() {
  const t = texts.use();
  const chunks = $api.useQuery('get', '/v1/prompt-chunks');
  return (
    <Form fields={forms.prompts}>
      {(draft, settings) => (
        <>
          <p className="muted">{t('chunks.text')}</p>
          <Read query={chunks}>
            {({ data }) => (
              <ul className="plain stack tight">
                {data.map((chunk) => (
                  <Part key={chunk.name} chunk={chunk} draft={draft} change={settings.prompt_chunks[chunk.name]} />
                ))}
              </ul>
            )}
          </Read>
        </>
      )}
    </Form>
  );
}

function Part({ chunk, draft, change }: { chunk: Chunk; draft: Draft; change: Schemas['ChunkChange'] | undefined }) {
  const t = texts.use();
  const tu = uiTexts.use();
  const words = useWords();
  const id = useId();
  const [writing, setWriting] = useState(false);
  const pointer = `/prompt_chunks/${chunk.name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const edited = draft.edited(`${pointer}/enabled`) || draft.edited(`${pointer}/text`) || draft.edited(pointer);
  const enabled = draft.get(`${pointer}/enabled`) ?? (draft.get(`${pointer}/text`) ? true : chunk.included);
  const own = draft.get(`${pointer}/text`);
  const wrong = draft.wrong(`${pointer}/text`);
  const text = typeof own === 'string' ? own : chunk.built_in;
  return (
    <li className={`card ${styles.chunk}`} data-chunk={chunk.name}>
      <details>
        <summary>
          <span className="row">
            <code>{chunk.name}</code>
            <span className="badge">{t('chunk.level', { n: chunk.importance })}</span>
            <span className={enabled ? 'badge ok' : 'badge'} data-included={enabled === true}>
              {t(enabled ? 'chunk.in' : 'chunk.out')}
            </span>
            {change && !edited && <span className="badge accent">{t('source.set')}</span>}
            {edited && <span className="badge warn">{t('source.unsaved')}</span>}
          </span>
        </summary>
        <div className="stack tight">
          <p className="muted small">
            {t(`chunk.level.${Math.min(3, Math.max(1, chunk.importance)) as 1 | 2 | 3}`)}{' '}
            {chunk.session_types.length > 0 &&
              t('chunk.types', { types: chunk.session_types.map(words.type).join(', ') })}{' '}
            {chunk.protocols.length > 0 && t('chunk.protocols', { protocols: chunk.protocols.join(', ') })}
          </p>
          {writing || typeof own === 'string' ? (
            <div className="field">
              <label htmlFor={id}>{t('chunk.own')}</label>
              <textarea
                id={id}
                rows={8}
                maxLength={20000}
                value={text}
                aria-invalid={wrong ? true : undefined}
                aria-describedby={wrong ? `${id}w` : undefined}
                onChange={(e) => draft.set(`${pointer}/text`, e.target.value)}
              />
              {wrong && (
                <p id={`${id}w`} className="wrong">
                  {wrong}
                </p>
              )}
            </div>
          ) : (
            <pre className={styles.text}>{chunk.text}</pre>
          )}
          <div className="row">
            <button type="button" className="small" onClick={() => draft.set(`${pointer}/enabled`, !enabled)}>
              {t(enabled ? 'chunk.off' : 'chunk.on')}
            </button>
            {!writing && typeof own !== 'string' && (
              <button type="button" className="small" onClick={() => setWriting(true)}>
                {tu('edit')}
              </button>
            )}
            {change && !draft.edited(pointer) && (
              <button
                type="button"
                className="small"
                onClick={() => {
                  setWriting(false);
                  draft.set(`${pointer}/enabled`, change.enabled);
                  draft.set(`${pointer}/text`, change.text);
                  draft.set(pointer, null);
                }}
              >
                {t('chunk.back')}
              </button>
            )}
          </div>
        </div>
      </details>
    </li>
  );
}
