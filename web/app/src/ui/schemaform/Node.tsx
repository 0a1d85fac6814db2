import { useState } from 'react';
import { BooleanControl, ChecksControl, EnumControl } from './Choice';
import { useForm, type ControlProps, type NodeProps } from './form';
import { AnyControl, JSONControl } from './Free';
import { ObjectControl, VariantsControl } from './Group';
import { ListControl } from './List';
import { resolve } from './resolve';
import { shapeOf } from './shape';
import { NumberControl, TextControl } from './Text';

/** A value by its schema: the control that can show it completely, or else its JSON. */
export function Node({ schema: given, ...p }: NodeProps) {
  const { root } = useForm();
  const [typing, setTyping] = useState(false); // JSON stays JSON while it is edited
  const [wasNull] = useState(p.value === null);
  const { schema, nullable } = resolve(given, root);
  const empty = nullable && (p.required || wasNull) ? null : undefined;
  const control: ControlProps = { ...p, schema, nullable, empty };
  const present = p.value === null && nullable ? undefined : p.value;
  const shape = typing ? { kind: 'json' as const } : shapeOf(schema, present, root, p.depth);
  switch (shape.kind) {
    case 'enum':
      return <EnumControl {...control} options={shape.options} />;
    case 'boolean':
      return <BooleanControl {...control} />;
    case 'number':
      return <NumberControl {...control} integer={shape.integer} />;
    case 'string':
      return <TextControl {...control} shape={shape} />;
    case 'checks':
      return <ChecksControl {...control} options={shape.options} />;
    case 'list':
      return <ListControl {...control} items={shape.items} />;
    case 'object':
      return <ObjectControl {...control} shape={shape} />;
    case 'variants':
      return <VariantsControl {...control} shape={shape} />;
    case 'any':
      return <AnyControl {...control} types={shape.types} />;
    default:
      return <JSONControl {...control} onTyping={setTyping} />;
  }
}
