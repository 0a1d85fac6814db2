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

/** The parts of the system message, which the AI receives before each session. */
export function Prompts() {
  const t = texts.use();
  const chunks = $api.useQuery('get', '/v1/prompt-chunks');
  return (
    <Form fields={forms.prompts} byButton>
      {(draft, settings) => (
        <>
          <p className="muted">{t('chunks.text')}</p>
          <Read query={chunks}>
            {({ data }) => (
              <ul className="rows">
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

interface PartProps {
  chunk: Chunk;
  draft: Draft;
  /** The text that replaces the built-in part. */
  change: Schemas['ChunkChange'] | undefined;
}

function Part({ chunk, draft, change }: PartProps) {
  const t = texts.use();
  const tu = uiTexts.use();
  const [writing, setWriting] = useState(false);
  const pointer = `/prompt_chunks/${chunk.name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const edited = draft.edited(`${pointer}/enabled`) || draft.edited(`${pointer}/text`) || draft.edited(pointer);
  const enabled = draft.get(`${pointer}/enabled`) ?? (draft.get(`${pointer}/text`) ? true : chunk.included);
  const own = draft.get(`${pointer}/text`);
  const replaced = typeof own === 'string';
  const reset = (stored: Schemas['ChunkChange']) => {
    setWriting(false);
    draft.set(`${pointer}/enabled`, stored.enabled);
    draft.set(`${pointer}/text`, stored.text);
    draft.set(pointer, null);
  };
  return (
    <li className={styles.chunk} data-chunk={chunk.name}>
      <details>
        <summary>
          <span className="row">
            <code className="grow">{chunk.name}</code>
            <span className="badge">{t('chunk.level', { n: chunk.importance })}</span>
            <span className={enabled ? 'badge ok' : 'badge'} data-included={enabled === true}>
              {t(enabled ? 'chunk.in' : 'chunk.out')}
            </span>
            {change && !edited && <span className="badge accent">{t('source.set')}</span>}
            {edited && <span className="badge warn">{t('source.unsaved')}</span>}
          </span>
        </summary>
        <div className="stack tight">
          <Scope chunk={chunk} />
          {writing || replaced ? (
            <OwnText
              value={replaced ? own : chunk.built_in}
              wrong={draft.wrong(`${pointer}/text`)}
              onChange={(text) => draft.set(`${pointer}/text`, text)}
            />
          ) : (
            <pre className={styles.text}>{chunk.text}</pre>
          )}
          <div className="row">
            <button type="button" className="small" onClick={() => draft.set(`${pointer}/enabled`, !enabled)}>
              {t(enabled ? 'chunk.off' : 'chunk.on')}
            </button>
            {!writing && !replaced && (
              <button type="button" className="small" onClick={() => setWriting(true)}>
                {tu('edit')}
              </button>
            )}
            {change && !draft.edited(pointer) && (
              <button type="button" className="small" onClick={() => reset(change)}>
                {t('chunk.back')}
              </button>
            )}
          </div>
        </div>
      </details>
    </li>
  );
}

/** The sessions that receive it, by type and protocol. */
function Scope({ chunk }: { chunk: Chunk }) {
  const t = texts.use();
  const words = useWords();
  const level = Math.min(3, Math.max(1, chunk.importance)) as 1 | 2 | 3;
  const types = chunk.session_types.map(words.type).join(', ');
  return (
    <p className="muted small">
      {t(`chunk.level.${level}`)} {types && t('chunk.types', { types })}{' '}
      {chunk.protocols.length > 0 && t('chunk.protocols', { protocols: chunk.protocols.join(', ') })}
    </p>
  );
}

interface OwnTextProps {
  value: string;
  wrong: string | undefined;
  onChange: (text: string) => void;
}

function OwnText({ value, wrong, onChange }: OwnTextProps) {
  const t = texts.use();
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{t('chunk.own')}</label>
      <textarea
        id={id}
        rows={8}
        maxLength={20_000}
        value={value}
        aria-invalid={wrong ? true : undefined}
        aria-describedby={wrong ? `${id}w` : undefined}
        onChange={(e) => onChange(e.target.value)}
      />
      {wrong && (
        <p id={`${id}w`} className="wrong">
          {wrong}
        </p>
      )}
    </div>
  );
}
