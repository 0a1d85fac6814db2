import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { $api } from '../../../api/client';
import { Read } from '../../../ui/Read';
import { formTexts } from './texts';
import { isEmpty, segmentsOf, type Part } from '../draft/requestParts';
import { useSettled } from '../../../ui/useSettled';

/** A preview of a request as the AI will receive it, with the data it includes. */
export function Preview({ parts }: { parts: Part[] }) {
  const t = formTexts.use();
  const [open, setOpen] = useState(false);
  const settled = useSettled(parts, 400);
  const content = segmentsOf(isEmpty(settled) ? parts : settled);
  const query = $api.useQuery(
    'post',
    '/v1/enrichments/preview',
    { body: content },
    { enabled: open, retry: false, placeholderData: keepPreviousData },
  );
  return (
    <>
      <p>
        <button type="button" className="link small" aria-expanded={open} onClick={() => setOpen(!open)}>
          {t(open ? 'look.hide' : 'look')}
        </button>
      </p>
      {open && (
        <div className="box stack tight" data-look>
          <Read query={query}>
            {({ linear_text, commands = [] }) => (
              <>
                <p className="preserve">{linear_text}</p>
                {commands.length > 0 && (
                  <>
                    <p className="small">{t('look.commands', { n: commands.length })}</p>
                    <ul className="small">
                      {commands.map((c) => (
                        <li key={c.id}>
                          <code>
                            {c.type} {JSON.stringify(c.params)}
                          </code>
                        </li>
                      ))}
                    </ul>
                  </>
                )}
              </>
            )}
          </Read>
        </div>
      )}
    </>
  );
}
