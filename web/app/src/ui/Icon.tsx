import type { LucideIcon } from 'lucide-react';
import type { ButtonHTMLAttributes } from 'react';

interface Props {
  of: LucideIcon;
  size?: number;
}

/** An icon beside a word: 16 px in the colour of the text, nothing to a screen reader. */
export const Icon = ({ of: Drawn, size = 16 }: Props) => (
  <Drawn size={size} strokeWidth={1.75} className="icon-svg" aria-hidden="true" focusable="false" />
);

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children' | 'aria-label' | 'title'> {
  of: LucideIcon;
  /** What it does: its name, and its tooltip. */
  label: string;
}

/** A button that is an icon alone. */
export const IconButton = ({ of, label, className = 'plain', ...rest }: ButtonProps) => (
  <button type="button" aria-label={label} title={label} className={`icon ${className}`} {...rest}>
    <Icon of={of} />
  </button>
);
