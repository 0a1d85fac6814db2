import { keepPreviousData } from '@tanstack/react-query';
import { $api, type Schemas } from '../api/client';
import { useFormat } from '../i18n/format';
import { getLang } from '../i18n/lang';
import { ProblemBox } from '../ui/Problem';
import { isFields, type Fields } from '../ui/schemaform/types';
import { useSettled } from '../ui/useSettled';
import { texts } from './texts';

type Schedule = Schemas['Schedule'];

const word = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** The schedule that these params name, on the workspace's clocks where they name no others; null while
 * something of it is missing. */
function scheduleOf(params: Fields, zone: string | undefined): Schedule | null {
  const given = isFields(params.schedule) ? params.schedule : {};
  const [type, expression] = [word(given.type), word(given.expression)];
  const time_zone = word(given.time_zone) || zone;
  if (!type || !expression || !time_zone) return null;
  const starts_at = word(given.starts_at);
  return { type: type as Schedule['type'], expression, time_zone, ...(starts_at ? { starts_at } : {}) };
}

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
  const settings = $api.useQuery('get', '/v1/settings');
  const clock = settings.data?.time_zone;
  const schedule = useSettled(scheduleOf(params, clock), 300);
  const preview = $api.useQuery(
    'post',
    '/v1/schedules/preview',
    { body: { schedule: schedule ?? { type: 'cron', expression: '', time_zone: '' }, count: 3 } },
    { enabled: schedule !== null, retry: false, placeholderData: keepPreviousData },
  );
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
