import { useId } from 'react';

interface Props {
  legend: string;
  all: { id: string; name: string; hint?: string }[];
  chosen: string[];
  onChange: (ids: string[]) => void;
  wrong?: string;
}

/** A multiple choice among a few options. */
export function Choices({ legend, all, chosen, onChange, wrong }: Props) {
  const id = useId();
  return (
    <fieldset className="field" aria-describedby={wrong ? id : undefined}>
      <legend>{legend}</legend>
      <div className="chips">
        {all.map((one) => (
          <label key={one.id} title={one.hint}>
            <input
              type="checkbox"
              checked={chosen.includes(one.id)}
              onChange={(e) => onChange(e.target.checked ? [...chosen, one.id] : chosen.filter((c) => c !== one.id))}
            />
            <span className="clamp">{one.name}</span>
          </label>
        ))}
      </div>
      {wrong && (
        <p id={id} className="wrong" role="alert">
          {wrong}
        </p>
      )}
    </fieldset>
  );
}
