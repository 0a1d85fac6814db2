// Schedules of automations, in words.
import { $api, type Schemas } from '../../api/client';
import { format, useFormat } from '../../i18n/format';
import { dayName, localTime, usePreview } from '../../schedule/preview';
import { browserZone, whenOf, workdays, type Schedule, type When } from '../../schedule/schedule';
import { texts } from './texts';

/** The text of a simple schedule; null for those that only the server can describe. */
export function simpleWords(when: When): string | null {
  const { t } = texts;
  const { time } = when;
  switch (when.kind) {
    case 'none':
      return t('when.hand');
    case 'daily':
      return t('when.daily', { time });
    case 'weekly':
      return when.days.join() === workdays.join()
        ? t('when.weekdays', { time })
        : t('when.weekly', { time, days: format().list(when.days.toSorted((a, b) => a - b).map((d) => dayName(d))) });
    case 'monthly':
      return t('when.monthly', { time, day: when.monthDay });
    case 'every': {
      const n = Number(when.every);
      return Number.isInteger(n) && n > 0
        ? t(({ m: 'when.minutes', h: 'when.hours', d: 'when.days' } as const)[when.unit], { n })
        : null;
    }
    case 'once':
      return when.at ? t('when.once', { at: localTime(when.at) }) : null;
    default:
      return null;
  }
}

/** A schedule in words, with its zone if it differs from the browser's. */
export function ScheduleWords({ schedule }: { schedule: Schedule }) {
  const t = texts.use();
  useFormat(); // the text changes with the language
  const simple = simpleWords(whenOf(schedule, schedule.time_zone));
  const preview = usePreview(simple === null ? schedule : null, { count: 1 });
  if (simple === null) {
    const words = preview.data?.description ?? schedule.expression;
    return <>{words.replace(` (${browserZone()})`, '')}</>;
  }
  return (
    <>
      {simple}
      {schedule.time_zone !== browserZone() && ` ${t('zone.of', { zone: schedule.time_zone })}`}
    </>
  );
}

/** All triggers of an automation, in words. */
export function StartWords({ of: a }: { of: Pick<Schemas['Automation'], 'schedule' | 'triggers'> }) {
  const t = texts.use();
  const watched = a.triggers.some((trigger) => trigger.type === 'entry_created');
  const tools = $api.useQuery('get', '/v1/tools', { params: { query: { limit: 200 } } }, { enabled: watched });
  const nameOf = (id?: string) =>
    tools.data?.data.find((tool) => tool.id === id)?.name ?? (tools.data ? t('tool.unknown') : '…');
  const words = a.triggers.map((trigger) =>
    trigger.type === 'webhook'
      ? t('when.webhook')
      : trigger.type === 'entry_created'
        ? t('when.entry', { tool: nameOf(trigger.tool_id) })
        : trigger.type,
  );
  if (!a.schedule) return <>{words.join(t('when.or')) || t('when.hand')}</>;
  return (
    <>
      <ScheduleWords schedule={a.schedule} />
      {words.map((w) => t('when.or') + w)}
    </>
  );
}
