import type { FieldError } from '../../../api/problem';
import type { Automation, Draft } from './draft';

/** What each part of the form is given. */
export interface PartProps {
  draft: Draft;
  set: (part: Partial<Draft>) => void;
  errors: FieldError[];
  tried: boolean;
  automation?: Automation;
}
