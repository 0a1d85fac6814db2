import { createContext, useContext } from 'react';
import type { Mistake, Schema } from './types';

/** The context of all fields of a form. */
export interface Form {
  root: Schema;
  disabled: boolean;
  label?: (name: string) => string;
  /** Show all errors, also of untouched fields. */
  all: boolean;
}

export const FormContext = createContext<Form>({ root: {}, disabled: false, all: false });
export const useForm = () => useContext(FormContext);

/** One value of the form and its position. */
export interface NodeProps {
  schema: Schema | boolean;
  value: unknown;
  onChange: (value: unknown) => void;
  at: string;
  errors: Mistake[];
  name: string;
  required: boolean;
  depth: number;
  /** The label is only for screen readers: an item of a list has its number already. */
  quiet?: boolean;
}

/** The same for a control: its schema is resolved, and the meaning of unset is determined. */
export interface ControlProps extends Omit<NodeProps, 'schema'> {
  schema: Schema;
  /** The value after it is removed. */
  empty: null | undefined;
  nullable: boolean;
}
