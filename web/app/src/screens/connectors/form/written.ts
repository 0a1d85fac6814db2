// Custom commands: conversion between the server's format and the form's.
import type { Schemas } from '../../../api/client';
import type { Schema } from '../../../ui/SchemaForm';
import type { Command } from '../connector';

export type Written = Schemas['NewConnectorCommand'];

/** A stored command as sent back: the list of commands is replaced as a whole. */
export function asWritten(c: Command): Written {
  return {
    name: c.name,
    ...(c.title ? { title: c.title } : {}),
    description: c.description,
    params_schema: c.params_schema,
    effect: c.effect,
    require_validation: c.require_validation,
    timeout: c.timeout,
    trusted: c.trusted,
    ...(c.sensitive ? { sensitive: true } : {}),
    ...(c.state === 'changed' || c.state === 'gone' ? {} : { state: c.state }),
    ...(c.request ? { request: c.request } : {}),
    ...(c.result ? { result: c.result } : {}),
    ...(c.probe ? { probe: c.probe } : {}),
    ...(c.deadline ? { deadline: c.deadline } : {}),
    ...(c.cancel_path ? { cancel_path: c.cancel_path } : {}),
    ...(c.documents.length ? { documents: c.documents } : {}),
  };
}

export const types = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;

/** One parameter, if its schema fits into the list. */
export interface Param {
  key: number;
  name: string;
  type: (typeof types)[number];
  required: boolean;
  description: string;
}

let keys = 0;
export const newParam = (): Param => ({ key: ++keys, name: '', type: 'string', required: false, description: '' });

const only = (value: object, names: readonly string[]) => Object.keys(value).every((name) => names.includes(name));

/** The parameters of a schema as a list; null if the list cannot express it. */
export function paramsOf(schema: unknown): Param[] | null {
  const own = (schema ?? {}) as Schema;
  if (!only(own, ['type', 'properties', 'required'])) return null;
  const list: Param[] = [];
  for (const [name, of] of Object.entries(own.properties ?? {})) {
    if (typeof of !== 'object' || !only(of, ['type', 'description'])) return null;
    const type = types.find((known) => known === of.type);
    if (!type) return null;
    const required = own.required?.includes(name) ?? false;
    list.push({ key: ++keys, name, type, required, description: of.description ?? '' });
  }
  return list;
}

export function schemaOf(params: readonly Param[]): Record<string, unknown> {
  const named = params.filter((p) => p.name.trim());
  const required = named.filter((p) => p.required).map((p) => p.name.trim());
  return {
    type: 'object',
    properties: Object.fromEntries(
      named.map((p) => [
        p.name.trim(),
        { type: p.type, ...(p.description.trim() ? { description: p.description.trim() } : {}) },
      ]),
    ),
    ...(required.length ? { required } : {}),
  };
}
