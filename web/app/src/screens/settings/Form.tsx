import type { ReactNode } from 'react';
import { Read } from '../../ui/Read';
import type { FieldSpec } from './fields';
import { SaveBar } from './SaveBar';
import { useDraft, useSettings, type Draft, type Settings } from './useSettings';
import { Value } from './Value';

interface Props {
  fields: readonly FieldSpec[];
  children?: (draft: Draft, settings: Settings) => ReactNode;
}

/** A section that is a list of settings, saved together. */
export function Form(props: Props) {
  const query = useSettings();
  return <Read query={query}>{(loaded) => <Filled loaded={loaded} {...props} />}</Read>;
}

function Filled({ loaded, fields, children }: Props & { loaded: Parameters<typeof useDraft>[0] }) {
  const draft = useDraft(loaded);
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(e) => {
        e.preventDefault();
        void draft.save.run();
      }}
    >
      {fields.map((spec) => (
        <Value key={spec.at} spec={spec} draft={draft} settings={loaded.value} />
      ))}
      {children?.(draft, loaded.value)}
      <SaveBar draft={draft} />
    </form>
  );
}
