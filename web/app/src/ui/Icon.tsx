import type { LucideIcon } from 'lucide-react';
import type { ButtonHTMLAttributes } from 'react';

interface Props {
  of: LucideIcon;
  size?: number;
}

/** An icon beside a word: 16 px in the text's colour, hidden from screen readers. */
export const Icon = ({ of: Drawn, size = 16 }: Props) => (
  <Drawn size={size} strokeWidth={1.75} className="icon-svg" aria-hidden="true" focusable="false" />
);

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children' | 'aria-label' | 'title'> {
  of: LucideIcon;
  /** The action: its accessible name and tooltip. */
  label: string;
}

/** A button with only an icon. */
export const IconButton = ({ of, label, className = 'plain', ...rest }: ButtonProps) => (
  <button type="button" aria-label={label} title={label} className={`icon ${className}`} {...rest}>
    <Icon of={of} />
  </button>
);
