import { ArrowUp, AtSign, Check, ChevronUp, Paperclip } from 'lucide-react';
import { useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useFormat } from '../../../i18n/format';
import { focusAfter } from '../../../ui/focus';
import { Icon } from '../../../ui/Icon';
import { Menu } from '../Menu';
import { Attached } from './Attached';
import { useUploads } from './useUploads';
import { emptyDraft, freeLabel, isEmpty, present, tokenOf, type Draft, type Reference } from '../store/drafts';
import type { IfBusy } from '../store/outbox';
import { words } from '../texts.compose';
import css from './compose.module.css';
import { choices, chosenFor, keepChoice, type Mode } from './mode';
import { Picker } from './Picker';
import { References } from './References';

const maxCharacters = 100_000; // the server's limit for one text, in characters

interface Props {
  draft: Draft;
  onDraft: (draft: Draft) => void;
  mode: Mode;
  onSend: (draft: Draft, ifBusy?: IfBusy) => void;
  /** Called on Escape, unless the key has another meaning here. */
  onEscape?: () => void;
}

/** The message field. It is never disabled: what is sent while the session works is queued on the server. */
export function Composer({ draft, onDraft, mode, onSend, onEscape }: Props) {
  const t = words.use();
  const f = useFormat();
  const field = useRef<HTMLTextAreaElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const [chosen, choose] = useState<Partial<Record<Mode, IfBusy | ''>>>({});
  const [picking, pick] = useState<number | null>(null); // where the reference is inserted
  useLayoutEffect(() => fit(field.current));
  const offered = choices[mode];
  const ifBusy = chosen[mode] ?? chosenFor(mode);
  const length = draft.text.length > maxCharacters * 0.9 ? [...draft.text.trim()].length : 0;
  const uploads = useUploads(draft, onDraft);
  const notYet = isEmpty(draft) || length > maxCharacters || uploads.busy;
  const send = () => {
    if (notYet) return;
    const files = draft.files?.length ? { files: draft.files } : {};
    onSend({ text: draft.text, references: present(draft), ...files }, ifBusy || undefined);
    uploads.clear();
    onDraft(emptyDraft);
    field.current?.focus();
  };
  const key = (e: KeyboardEvent) => {
    if (e.key === 'Enter' && !e.shiftKey && !e.altKey && !e.nativeEvent.isComposing) {
      e.preventDefault();
      send();
    }
    if (e.key === 'Escape') onEscape?.();
  };
  const typed = (text: string, caret: number) => {
    onDraft({ ...draft, text });
    if (text.length === draft.text.length + 1 && text[caret - 1] === '@' && /(^|\s)$/.test(text.slice(0, caret - 1)))
      pick(caret - 1);
  };
  const refer = (reference: Reference) => {
    const at = picking ?? draft.text.length;
    const label = freeLabel(draft, reference.label);
    const after = draft.text.slice(at).replace(/^@/, '');
    const before = draft.text.slice(0, at);
    const text = `${before}${tokenOf(label)}${/^\s/.test(after) ? '' : ' '}`;
    focusAfter(
      () => {
        onDraft({ text: text + after, references: [...present(draft), { ...reference, label }] });
        pick(null);
      },
      () => field.current, // further input goes after it
    );
    field.current?.setSelectionRange(text.length, text.length);
  };
  return (
    <form
      className={css.composer}
      data-dropping={uploads.dropping || undefined}
      {...uploads.drop}
      onSubmit={(e) => {
        e.preventDefault();
        send();
      }}
    >
      {picking !== null && (
        <Picker
          onPick={refer}
          onClose={() => {
            pick(null);
            field.current?.focus();
          }}
        />
      )}
      <References draft={draft} onDraft={onDraft} />
      <Attached draft={draft} uploads={uploads} />
      <div className={css.line}>
        <button
          type="button"
          className={`plain icon ${css.at}`}
          aria-label={t('refer')}
          title={t('refer')}
          aria-expanded={picking !== null}
          onClick={() => pick(picking === null ? (field.current?.selectionStart ?? draft.text.length) : null)}
        >
          <Icon of={AtSign} />
        </button>
        <button
          type="button"
          className={`plain icon ${css.at}`}
          aria-label={t('attach')}
          title={t('attach')}
          onClick={() => chooser.current?.click()}
        >
          <Icon of={Paperclip} />
        </button>
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          data-attach=""
          onChange={(e) => {
            uploads.add([...(e.target.files ?? [])]);
            e.target.value = '';
          }}
        />
        <textarea
          ref={field}
          id="message"
          rows={1}
          aria-label={t('message')}
          aria-describedby="message-hint"
          placeholder={t('placeholder')}
          value={draft.text}
          onChange={(e) => typed(e.target.value, e.target.selectionStart)}
          onKeyDown={key}
          onPaste={(e) => {
            const files = [...e.clipboardData.files];
            if (!files.length || e.clipboardData.getData('text/plain')) return;
            e.preventDefault();
            uploads.add(files);
          }}
          enterKeyHint="send"
        />
        <div className={css.send}>
          <button type="submit" className="primary" aria-disabled={notYet} aria-label={t('send')}>
            <Icon of={ArrowUp} />
            <span>{t('send')}</span>
          </button>
          {offered.length > 0 && (
            <Menu
              label={t('busy.menu', { how: t(wordOf(mode, ifBusy)) })}
              button={<Icon of={ChevronUp} />}
              className="primary icon"
              act="busy"
            >
              <p>{t('busy')}</p>
              {offered.map((c) => (
                <button
                  key={c}
                  type="button"
                  aria-pressed={c === ifBusy}
                  onClick={() => {
                    choose({ ...chosen, [mode]: c });
                    keepChoice(mode, c);
                  }}
                >
                  <span className={css.tick}>{c === ifBusy && <Icon of={Check} />}</span>
                  {t(wordOf(mode, c))}
                </button>
              ))}
            </Menu>
          )}
        </div>
      </div>
      {length > maxCharacters && (
        <p className={css.long} role="alert">
          {t('long', { n: f.number(length), max: f.number(maxCharacters) })}
        </p>
      )}
      <p id="message-hint" className={`muted ${css.hint}`}>
        {t('hint.keys')}
      </p>
    </form>
  );
}

const wordOf = (mode: Mode, c: IfBusy | '') =>
  mode === 'wait' ? (c === '' ? 'wait.' : 'wait.enqueue') : (`busy.${c as 'enqueue' | 'steer' | 'interrupt'}` as const);

/** Resizes the field to its text, up to a third of the window. */
function fit(box: HTMLTextAreaElement | null): void {
  if (!box) return;
  box.style.height = 'auto';
  box.style.height = `${Math.min(box.scrollHeight + 2, Math.max(120, window.innerHeight / 3))}px`;
}
