import type { ReactNode, SyntheticEvent } from 'react';
import { Read } from '../../ui/Read';
import type { FieldSpec } from './fields';
import { SaveBar } from './SaveBar';
import { useDraft, useSettings, type Draft, type Settings } from './useSettings';
import { Value } from './Value';

interface Props {
  fields: readonly FieldSpec[];
  children?: (draft: Draft, settings: Settings) => ReactNode;
  /** Long texts are saved with a button; everything else is saved on blur. */
  byButton?: boolean;
}

/** A section with a list of settings. */
export function Form(props: Props) {
  const query = useSettings();
  return <Read query={query}>{(loaded) => <Filled loaded={loaded} {...props} />}</Read>;
}

const chosenAtOnce = (target: EventTarget) =>
  target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && target.type === 'checkbox');

function Filled({ loaded, fields, children, byButton }: Props & { loaded: Parameters<typeof useDraft>[0] }) {
  const draft = useDraft(loaded);
  const save = () => void draft.save.run();
  const { leave } = draft;
  // Runs after the control's own handlers, so their changes are visible here.
  const auto = byButton
    ? {}
    : {
        onBlur: leave,
        onChange: (e: SyntheticEvent) => chosenAtOnce(e.target) && leave(),
        onClick: (e: SyntheticEvent) => e.target instanceof HTMLButtonElement && !e.target.dataset.own && leave(),
      };
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(e) => {
        e.preventDefault();
        save();
      }}
      {...auto}
    >
      {fields.map((spec) => (
        <Value key={spec.at} spec={spec} draft={draft} settings={loaded.value} />
      ))}
      {children?.(draft, loaded.value)}
      <SaveBar draft={draft} byButton={byButton} />
    </form>
  );
}
