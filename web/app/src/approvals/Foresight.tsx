import { $api } from '../api/client';
import { useFormat } from '../i18n/format';
import { getLang } from '../i18n/lang';
import { usePreview } from '../schedule/preview';
import { ProblemBox } from '../ui/Problem';
import type { Fields } from '../ui/schemaform/types';
import { scheduleIn } from './automationParams';
import { texts } from './texts';

/** The time zone of the workspace, the default of a schedule. */
export const useClock = () => $api.useQuery('get', '/v1/settings').data?.time_zone;

/** An instant on the clock of a zone: "Tuesday 24 November 2026 at 07:30". */
const on = (timeZone: string | undefined, at: string) =>
  new Intl.DateTimeFormat(getLang(), {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  }).format(new Date(at));

/** When an automation would run as it is edited just now: in words, and the next times. */
export function Foresight({ params }: { params: Fields }) {
  const t = texts.use();
  const f = useFormat();
  const clock = useClock();
  const schedule = scheduleIn(params, clock);
  const preview = usePreview(schedule, { count: 3 });
  if (!schedule) return null;
  if (preview.error) return <ProblemBox thrown={preview.error} />;
  if (!preview.data) return null;
  return (
    <div className="box stack tight" data-foresight role="status">
      <p>
        <strong>{preview.data.description}</strong>
      </p>
      <p className="small muted">
        {t('field.next')}:{' '}
        {preview.data.data.length ? f.list(preview.data.data.map((x) => on(clock, x.at))) : t('value.none')}
      </p>
    </div>
  );
}
