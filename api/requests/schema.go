package main

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// schema is as much of a JSON Schema as the bodies of requests use.
type schema struct {
	Ref              string     `yaml:"$ref"`
	Types            words      `yaml:"type"`
	Format           string     `yaml:"format"`
	Description      string     `yaml:"description"`
	Enum             []any      `yaml:"enum"`
	Const            any        `yaml:"const"`
	Pattern          string     `yaml:"pattern"`
	MinLength        int        `yaml:"minLength"`
	MaxLength        int        `yaml:"maxLength"`
	MinItems         int        `yaml:"minItems"`
	MaxItems         int        `yaml:"maxItems"`
	MaxProperties    int        `yaml:"maxProperties"`
	Minimum          *float64   `yaml:"minimum"`
	Maximum          *float64   `yaml:"maximum"`
	ExclusiveMinimum *float64   `yaml:"exclusiveMinimum"`
	Required         []string   `yaml:"required"`
	Items            *schema    `yaml:"items"`
	Properties       properties `yaml:"properties"`
	Additional       additional `yaml:"additionalProperties"`
	AllOf            []*schema  `yaml:"allOf"`
	OneOf            []*schema  `yaml:"oneOf"`
	AnyOf            []*schema  `yaml:"anyOf"`
	nullable         bool
}

// words are one word or a list of them.
type words []string

func (w *words) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*w = words{node.Value}
		return nil
	}
	return node.Decode((*[]string)(w))
}

// property is a field of an object.
type property struct {
	name   string
	schema *schema
}

// properties are in the order of the contract.
type properties []property

func (p *properties) UnmarshalYAML(node *yaml.Node) error {
	for i := 0; i+1 < len(node.Content); i += 2 {
		one := &schema{}
		if err := node.Content[i+1].Decode(one); err != nil {
			return err
		}
		*p = append(*p, property{node.Content[i].Value, one})
	}
	return nil
}

// additional are the fields with free names: none, any, or those of a schema.
type additional struct{ schema *schema }

func (a *additional) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		return nil
	}
	return node.Decode(&a.schema)
}

// contract is as much of the contract as is needed here.
type contract struct {
	Paths      map[string]map[string]yaml.Node `yaml:"paths"`
	Components struct {
		Schemas map[string]*schema `yaml:"schemas"`
	} `yaml:"components"`

	bodies map[string][]string // the calls that take a schema as their body
}

type operation struct {
	ID   string `yaml:"operationId"`
	Body struct {
		Content map[string]struct {
			Schema *schema `yaml:"schema"`
		} `yaml:"content"`
	} `yaml:"requestBody"`
}

// findBodies finds the calls that take a schema as their body.
func (c *contract) findBodies() error {
	c.bodies = map[string][]string{}
	for path, item := range c.Paths {
		for method, node := range item {
			if node.Kind != yaml.MappingNode {
				continue
			}
			var op operation
			if err := node.Decode(&op); err != nil {
				return fmt.Errorf("%s %s: %w", method, path, err)
			}
			if media := op.Body.Content["application/json"]; media.Schema != nil {
				name := nameOf(media.Schema.Ref)
				c.bodies[name] = append(c.bodies[name], op.ID)
			}
		}
	}
	return nil
}

func nameOf(ref string) string { return strings.TrimPrefix(ref, "#/components/schemas/") }

// resolve follows references and strips a schema of what wraps it: allOf with one part,
// and "or null", which it keeps as nullable. name is that of the component, if it is one.
func (c *contract) resolve(s *schema) (resolved *schema, name string) {
	out := *s
	for {
		switch parts := slices.Concat(out.AllOf, out.AnyOf, out.OneOf); {
		case out.Ref != "":
			name = nameOf(out.Ref)
			out = c.inner(&out, c.Components.Schemas[name])
		case len(parts) == 1:
			out = c.inner(&out, parts[0])
		case len(parts) == 2 && slices.Equal(parts[1].Types, words{"null"}):
			out = c.inner(&out, parts[0])
			out.nullable = true
		default:
			if i := slices.Index(out.Types, "null"); i >= 0 {
				out.Types, out.nullable = slices.Delete(slices.Clone(out.Types), i, i+1), true
			}
			return &out, name
		}
	}
}

// inner is what a wrapper wraps, with the wrapper's own description, if it has one.
func (c *contract) inner(wrapper, wrapped *schema) schema {
	out := *wrapped
	out.nullable = out.nullable || wrapper.nullable
	if wrapper.Description != "" {
		out.Description = wrapper.Description
	}
	return out
}

// union are the forms that an object may have; nil where it has one only.
func (s *schema) union() []*schema {
	if len(s.OneOf) > 0 {
		return s.OneOf
	}
	return s.AnyOf
}

// merged is the one object that has the fields of all forms of a union: those are
// required that every form requires.
func (c *contract) merged(s *schema) (*schema, error) {
	out := &schema{Types: words{"object"}, Description: s.Description, nullable: s.nullable}
	for i, form := range s.union() {
		form, name := c.resolve(form)
		if form.union() != nil || !slices.Equal(form.Types, words{"object"}) {
			return nil, fmt.Errorf("a form of a union is no plain object: %s", name)
		}
		if i == 0 {
			out.Required = slices.Clone(form.Required)
		}
		out.Required = slices.DeleteFunc(out.Required, func(name string) bool { return !slices.Contains(form.Required, name) })
		for _, p := range form.Properties {
			out.add(p)
		}
	}
	return out, nil
}

// add gives an object a field, or to the one that it has the values of the other.
func (s *schema) add(p property) {
	for i, known := range s.Properties {
		if known.name == p.name {
			both := *known.schema
			both.Enum = slices.Concat(known.schema.values(), p.schema.values())
			both.Const = nil
			s.Properties[i].schema = &both
			return
		}
	}
	s.Properties = append(s.Properties, p)
}

// values are those that a schema lists.
func (s *schema) values() []any {
	if s.Const != nil {
		return []any{s.Const}
	}
	return s.Enum
}
