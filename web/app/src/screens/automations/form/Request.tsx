import { useRef, useState } from 'react';
import type { FieldError } from '../../../api/problem';
import { Field } from '../../../ui/Field';
import css from '../automations.module.css';
import { BlockDialog } from './BlockDialog';
import { errorAt, errorBelow } from '../draft/errors';
import { formTexts } from './texts';
import { Preview } from './Preview';
import { insert, isEmpty, partAt, remove, setText, type Part } from '../draft/requestParts';

interface Props {
  parts: Part[];
  onChange: (parts: Part[]) => void;
  errors: FieldError[];
  empty: boolean;
}

const rowsOf = (text: string, least: number) =>
  Math.min(14, Math.max(least, text.split('\n').length + 1, Math.ceil(text.length / 80)));

/** The request: a text with blocks of data. */
export function Request({ parts, onChange, errors, empty }: Props) {
  const t = formTexts.use();
  const [adding, setAdding] = useState(false);
  const caret = useRef<{ key: number; at: number } | null>(null); // the last cursor position
  const area = useRef<HTMLFieldSetElement>(null);
  // Errors refer to segments by number; those about blocks are shown beside the block.
  const ofPart = (part: Part) =>
    errors.find((e) => {
      const index = /^\/seed\/segments\/(\d+)/.exec(e.pointer)?.[1];
      return index !== undefined && partAt(parts, Number(index))?.key === part.key;
    })?.message;
  const general = empty
    ? t('what.wrong')
    : (errorAt(errors, '/seed') ?? errorAt(errors, '/seed/segments') ?? errorBelow(errors, '/seed/text'));
  const drop = (key: number) => {
    onChange(remove(parts, key));
    area.current?.querySelector('textarea')?.focus();
  };
  return (
    <fieldset className="stack tight" id="what" ref={area}>
      <legend>
        <h2>{t('what.title')}</h2>
      </legend>
      {parts.map((part, i) =>
        part.block ? (
          <Block key={part.key} part={part} wrong={ofPart(part)} onRemove={() => drop(part.key)} />
        ) : (
          <Text
            key={part.key}
            text={part.text ?? ''}
            first={i === 0}
            only={parts.length === 1}
            wrong={(i === 0 ? general : undefined) ?? ofPart(part)}
            onChange={(text) => onChange(setText(parts, part.key, text))}
            onCaret={(at) => {
              caret.current = { key: part.key, at };
            }}
          />
        ),
      )}
      <div className="row">
        <button type="button" className="small" onClick={() => setAdding(true)}>
          {t('block.add')}
        </button>
      </div>
      {!isEmpty(parts) && <Preview parts={parts} />}
      {adding && (
        <BlockDialog
          onClose={() => setAdding(false)}
          onInsert={(block, summary) => {
            const last = parts.at(-1)!;
            const { key, at } = caret.current ?? { key: last.key, at: (last.text ?? '').length };
            onChange(insert(parts, key, at, block, summary));
            setAdding(false);
          }}
        />
      )}
    </fieldset>
  );
}

interface TextProps {
  text: string;
  first: boolean;
  only: boolean;
  wrong?: string;
  onChange: (text: string) => void;
  onCaret: (at: number) => void;
}

function Text({ text, first, only, wrong, onChange, onCaret }: TextProps) {
  const t = formTexts.use();
  return (
    <Field
      label={<span className="visually-hidden">{t(first ? 'what.label' : 'what.more')}</span>}
      hint={only ? t('what.hint') : undefined}
      wrong={wrong}
    >
      <textarea
        rows={rowsOf(text, only ? 4 : 2)}
        maxLength={100_000}
        placeholder={only ? t('what.example') : undefined}
        value={text}
        onChange={(e) => onChange(e.target.value)}
        onSelect={(e) => onCaret(e.currentTarget.selectionStart)}
      />
    </Field>
  );
}

function Block({ part, wrong, onRemove }: { part: Part; wrong?: string; onRemove: () => void }) {
  const t = formTexts.use();
  const what = part.summary || String(part.block?.type);
  return (
    <div className="field">
      <p className={css.block} data-block={part.block?.type}>
        <span className="grow clamp">{what}</span>
        <button
          type="button"
          className="plain small"
          aria-label={t('block.remove', { what: what.slice(0, 100) })}
          data-wrong={wrong ? '' : undefined}
          onClick={onRemove}
        >
          ✕
        </button>
      </p>
      {wrong && (
        <p className="wrong" role="alert">
          {wrong}
        </p>
      )}
    </div>
  );
}
