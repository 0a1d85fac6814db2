import { useRef, useState } from 'react';
import { api, type Schemas } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { announce } from '../../../shell/announce';
import { useAction } from '../../../ui/action';
import { Field } from '../../../ui/Field';
import { ProblemBox } from '../../../ui/Problem';
import type { Schema } from '../../../ui/SchemaForm';
import { parseNumber, quickField, startOf } from '../columns';
import css from '../data.module.css';
import { EntryForm } from './EntryForm';
import { toolTexts } from '../toolTexts';
import { useNames, useValueText } from '../words';

/** A one-line form for a new entry if only one field is required; otherwise a link to the full form. */
export function QuickAdd({ tool, schema }: { tool: Schemas['Tool']; schema: Schema }) {
  const t = toolTexts.use();
  const names = useNames();
  const { unit } = useValueText(tool);
  const field = quickField(schema);
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState('');
  const [open, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const add = useAction(async () => {
    const value = field!.kind === 'number' ? parseNumber(text) : text;
    setWrong(value === null ? t('quick.wrong') : '');
    if (value === null) return;
    await api.POST('/v1/tools/{tool_id}/entries', {
      params: { path: { tool_id: tool.id } },
      body: { data: { ...startOf(schema), [field!.name]: value } },
    });
    setText('');
    announce(t('added'));
    input.current?.focus();
  });
  const said =
    add.problem == null
      ? undefined
      : asProblem(add.problem).errors.find((e) => e.pointer === `/data/${field?.name}`)?.message;
  return (
    <div className="stack tight">
      {field && (
        <form
          className={`${css.inline} ${css.quick}`}
          noValidate
          onSubmit={(e) => {
            e.preventDefault();
            if (text.trim()) void add.run();
          }}
        >
          <div className={css.wide}>
            <Field
              label={`${t('quick.label', { field: names.field(field) })}${unit ? ` (${unit})` : ''}`}
              wrong={wrong || said}
            >
              <input
                ref={input}
                type="text"
                inputMode={field.kind === 'number' ? 'decimal' : undefined}
                autoComplete="off"
                value={text}
                onChange={(e) => {
                  setText(e.target.value);
                  setWrong('');
                  add.clear();
                }}
              />
            </Field>
          </div>
          <button type="submit" className="primary" disabled={add.busy || !text.trim()}>
            {t('add')}
          </button>
          <button type="button" onClick={() => setOpen(true)}>
            {t('add.more')}
          </button>
        </form>
      )}
      {!field && (
        <p>
          <button type="button" className="primary" onClick={() => setOpen(true)}>
            {t('add')}
          </button>
        </p>
      )}
      {add.problem != null && !said && <ProblemBox thrown={add.problem} />}
      {open && <EntryForm tool={tool} schema={schema} onClose={() => setOpen(false)} />}
    </div>
  );
}
