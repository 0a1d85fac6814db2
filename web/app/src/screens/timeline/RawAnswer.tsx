import { useState } from 'react';
import { api, body, type Schemas } from '../../api/client';
import { useAction } from '../../ui/action';
import { ProblemBox } from '../../ui/Problem';
import { PromptFiles, promptFiles } from '../../ui/PromptFiles';
import { Block } from './Block';
import { texts } from './texts';

/** Searches for a message from the newest: the API only returns pages. */
async function find(session: string, id: string): Promise<Schemas['Message'] | null> {
  let after: string | undefined;
  for (;;) {
    const page = await body(
      api.GET('/v1/sessions/{session_id}/messages', {
        params: { path: { session_id: session }, query: { order: 'desc', limit: 200, after } },
      }),
    );
    const found = page.data.find((message) => message.id === id);
    if (found || !page.next_cursor) return found ?? null;
    after = page.next_cursor;
  }
}

/** The model's raw answer and the files in its context, loaded on request. */
export function RawAnswer({ session, message }: { session: string; message: string }) {
  const t = texts.use();
  const tf = promptFiles.use();
  const [found, setFound] = useState<Schemas['Message'] | null | undefined>(undefined);
  const load = useAction(async () => setFound(await find(session, message)));
  if (found === undefined) {
    return (
      <>
        {load.problem != null && <ProblemBox thrown={load.problem} />}
        <p>
          <button type="button" className="small" disabled={load.busy} onClick={() => void load.run()}>
            {t('d.raw')}
          </button>
        </p>
      </>
    );
  }
  const raw = found?.ai_raw;
  if (!raw) return <p className="muted small">{t('d.raw.none')}</p>;
  const thoughts = (raw.thinking ?? [])
    .map((part) => part.text ?? '')
    .filter(Boolean)
    .join('\n\n');
  return (
    <>
      {(raw.prompt_files ?? []).length > 0 && (
        <>
          <h3>{tf('title')}</h3>
          <PromptFiles files={raw.prompt_files!} older={raw.older_prompt_files} />
        </>
      )}
      {raw.text && <Block title={t('d.raw.title')} text={raw.text} />}
      {thoughts && <Block title={t('d.raw.thinking')} text={thoughts} />}
      {(raw.calls ?? []).length > 0 && <Block title={t('d.raw.calls')} text={JSON.stringify(raw.calls, null, 2)} />}
    </>
  );
}
