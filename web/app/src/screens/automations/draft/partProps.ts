import type { FieldError } from '../../../api/problem';
import type { Automation, Draft } from './draft';

/** The props of each part of the form. */
export interface PartProps {
  draft: Draft;
  set: (part: Partial<Draft>) => void;
  errors: FieldError[];
  tried: boolean;
  automation?: Automation;
}
