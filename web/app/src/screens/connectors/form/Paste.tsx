import { useState } from 'react';
import { Field } from '../../../ui/Field';
import type { Draft } from './draft';
import { readPasted } from './pasted';
import { texts } from './texts';

interface Props {
  draft: Draft;
  set: (part: Partial<Draft>) => void;
  wrong?: string;
}

/** The address of a new MCP server, pasted in any form that its documentation may have. */
export function Paste({ draft, set, wrong }: Props) {
  const t = texts.use();
  const [pasted, setPasted] = useState('');
  const [proposed, propose] = useState(draft.name); // a name chosen by the person is kept
  const take = (said: string): void => {
    setPasted(said);
    const read = readPasted(said);
    if (!read) return set({ address: '', command: '', args: '', program: false });
    const { name, prefix, ...place } = read;
    if (draft.name !== proposed) return set(place);
    propose(name);
    set({ ...place, name, prefix });
  };
  const understood = draft.program ? draft.command !== '' : draft.address !== '';
  const nothing = pasted.trim() !== '' && !understood ? t('paste.nothing') : undefined;
  return (
    <div className="stack tight">
      <Field label={t('paste')} hint={t('paste.hint')} wrong={wrong ?? nothing} required>
        <textarea
          rows={pasted.includes('\n') ? 8 : 1}
          className="mono"
          spellCheck={false}
          autoComplete="off"
          maxLength={20_000}
          value={pasted}
          onChange={(e) => take(e.target.value)}
        />
      </Field>
      {understood && (
        <p className="small muted" role="status" data-understood={draft.program ? 'program' : 'address'}>
          {draft.program
            ? t('paste.program', { command: draft.command.slice(0, 200) })
            : t('paste.address', { host: hostOf(draft.address) })}
        </p>
      )}
    </div>
  );
}

const hostOf = (address: string): string => {
  try {
    return new URL(address).host;
  } catch {
    return address.slice(0, 200);
  }
};
