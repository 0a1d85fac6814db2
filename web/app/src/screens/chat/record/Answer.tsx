import { Paperclip } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from '../../../ui/Icon';
import { Markdown } from '../../../ui/Markdown';
import { CodeBlock } from '../../../ui/MarkdownCode';
import { PromptFiles, promptFiles } from '../../../ui/PromptFiles';
import { Time } from '../../../ui/Time';
import { blocksOf, openCode } from '../store/blocks';
import type { Chat } from '../store/chat';
import type { Message } from '../store/sessionStore';
import { answerText, goesOn, isUnreadable, thoughts } from '../store/items';
import { texts } from '../texts';
import type { Tries } from '../store/tries';
import { failureOf, partOf } from '../store/failure';
import { useLive } from '../useChat';
import { MessageActions } from './Actions';
import { ContinueButton } from './Continue';
import { CopyIcon } from './CopyIcon';
import { Long } from './Long';
import css from './record.module.css';
import { TriesLine } from './Tries';

interface Props {
  chat: Chat;
  id: string;
  message?: Message;
  /** It is one of several answers to the question. */
  tries?: Tries;
}

/** An answer of the AI, complete or streaming. */
export function AnswerView({ chat, id, message, tries }: Props) {
  const t = texts.use();
  const tf = promptFiles.use();
  const [listed, list] = useState(false);
  useLive(chat, !message);
  const live = message ? undefined : chat.store.live.get(id);
  const text = message ? answerText(message) : (live?.text ?? '');
  const thinking = message ? thoughts(message) : (live?.thinking ?? '');
  const files = message?.ai_raw?.prompt_files ?? [];
  const older = message?.ai_raw?.older_prompt_files ?? 0;
  const { placed } = chat.store;
  const part = message ? partOf(message) : null;
  const next = message && placed[placed.findIndex((m) => m.id === message.id) + 1];
  const failed = !!next && failureOf(next) !== null; // the failure that cut it offers the rest
  const unreadable = message !== undefined && isUnreadable(message);
  return (
    <article
      className={css.answer}
      aria-label={t('ai')}
      data-sender="AI"
      data-live={message ? undefined : ''}
      data-message={id}
    >
      {thinking && (
        <details className={css.fold}>
          <summary>{t(!message && !text ? 'thinking.now' : 'thinking')}</summary>
          <pre>{thinking}</pre>
        </details>
      )}
      <Blocks text={text} live={!message} />
      {unreadable && <p className={css.mark}>{t('unreadable')}</p>}
      {unreadable && message.ai_raw?.text && (
        <details className={css.fold}>
          <summary>{t('raw')}</summary>
          <pre>{message.ai_raw.text}</pre>
        </details>
      )}
      {message && part && (
        <p className={`row ${css.mark}`} data-mark={part === 'cut' ? 'cut' : 'interrupted'}>
          {t(part === 'cut' ? 'cut' : 'interrupted')}
          {(part === 'stopped' || !failed) && <ContinueButton chat={chat} message={message} />}
        </p>
      )}
      {listed && <PromptFiles files={files} older={older} />}
      {!goesOn(message) && (
        <footer className={css.foot} data-tries={tries && ''}>
          {message && (
            <>
              {tries && <TriesLine chat={chat} tries={tries} model={message.ai_raw?.model} />}
              <Time at={message.timestamp} absolute />
              {text && <CopyIcon text={text} />}
              {files.length > 0 && (
                <IconButton
                  of={Paperclip}
                  label={tf('open', { n: files.length + older })}
                  className="plain small"
                  data-act="files"
                  aria-expanded={listed}
                  onClick={() => list(!listed)}
                />
              )}
              <MessageActions chat={chat} message={message} />
            </>
          )}
        </footer>
      )}
    </article>
  );
}

/** A text in Markdown blocks, each parsed once. Of a streaming text only the last block is parsed again, less often
 * the longer it is. */
function Blocks({ text, live }: { text: string; live: boolean }) {
  const settled = useSettled(text, live);
  return (
    <Long text={settled} most={live ? Infinity : 40_000}>
      {(shown) => {
        const blocks = blocksOf(shown);
        return (
          <div className={css.blocks} data-text="">
            {/* oxlint-disable-next-line react/no-array-index-key -- text only grows at its end */}
            {blocks.map((block, i) => (
              <Block key={i} text={block} open={live && i === blocks.length - 1} />
            ))}
            {live && !blocks.length && <span className="caret" aria-hidden="true" />}
          </div>
        );
      }}
    </Long>
  );
}

function Block({ text, open }: { text: string; open: boolean }) {
  const code = open ? openCode(text) : null;
  if (code !== null) return <CodeBlock code={code.text} language={code.language} growing />;
  return <Markdown text={text} caret={open} />;
}

/** The text, delayed for a moment while a long block is streaming. */
function useSettled(text: string, live: boolean): string {
  const [held, hold] = useState(text);
  const tail = live ? text.length - text.lastIndexOf('\n\n') : 0;
  const wait = tail < 3000 ? 0 : tail < 15_000 ? 120 : 500;
  useEffect(() => {
    if (!wait || held === text) return undefined;
    const timer = setTimeout(() => hold(text), wait - (performance.now() % wait));
    return () => clearTimeout(timer);
  }, [text, held, wait]);
  return wait && text.startsWith(held) && held ? held : text;
}
