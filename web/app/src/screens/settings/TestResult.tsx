import type { Schemas } from '../../api/client';
import { testWords } from '../../api/inFrench';
import { useFormat } from '../../i18n/format';
import { texts } from './texts';

export type Test = Schemas['ProviderTest'];

/** The result of a test: its duration and response, or why it failed. `atField`: the explanation is shown at the
 * field concerned. */
export function TestResult({ result, atField = false }: { result: Test; atField?: boolean }) {
  const t = texts.use();
  const f = useFormat();
  const model = result.model ?? '';
  if (result.ok)
    return (
      <p className="box ok" role="status" data-test="ok">
        {t('test.ok', { model, time: f.duration(result.latency_ms) })}
        {result.said && ` ${t('test.said', { said: result.said.slice(0, 200) })}`}
      </p>
    );
  const { code = '', meaning: means = '', mend: mends = '' } = result.error ?? {};
  const [meaning, mend] = testWords(code, means, mends);
  return (
    <div className="box bad stack tight" role="alert" data-test={result.error?.code ?? 'failed'}>
      <p>
        <strong>{t('test.failed')}</strong> {!atField && meaning} {mend}
      </p>
      {result.error?.message && (
        <details className="small">
          <summary>{t('details')}</summary>
          <span lang="en">{result.error.message}</span>
        </details>
      )}
    </div>
  );
}
