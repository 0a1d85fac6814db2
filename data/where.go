package data

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// Bounds of a question to the entries of a tool.
const (
	maxWhereBytes = 16 << 10
	maxConditions = 50
	maxInList     = 200
	maxWhereText  = 1000 // characters
	maxFieldDepth = 5
	maxFields     = 50
	// exactNumber is 2^53: beyond it, neighbouring integers are one number to JSON readers.
	exactNumber = 1 << 53
)

// Filter checks what a query asks for beside the time against the type of the tool, and returns the filter for the
// store and the fields to return.
func Filter(t *userdata.ToolType, q *userdata.EntryQuery) (userdata.EntryFilter, []userdata.Field, error) {
	filter, schema := q.EntryFilter, entrySchema(t)
	var err error
	if filter.Conditions, err = schema.conditions(q.Where); err != nil {
		return filter, nil, err
	}
	if q.OrderBy != "" {
		if filter.Order, _, err = schema.find("/order_by", q.OrderBy); err != nil {
			return filter, nil, err
		}
	}
	if len(q.Fields) > maxFields {
		return filter, nil, domain.Invalid("/fields", "too_many", "At most %d fields can be chosen.", maxFields)
	}
	var fields []userdata.Field
	for i, name := range q.Fields {
		field, _, err := schema.find(fmt.Sprintf("/fields/%d", i), name)
		if err != nil {
			return filter, nil, err
		}
		fields = append(fields, field)
	}
	return filter, fields, nil
}

// Project reduces the data of entries to some fields; none: all of it.
func Project(entries []userdata.Entry, fields []userdata.Field) error {
	if len(fields) == 0 {
		return nil
	}
	for i := range entries {
		value, err := jsonbody.Value(entries[i].Data)
		if err != nil {
			return fmt.Errorf("read the data of the entry %s: %w", entries[i].ID, err)
		}
		chosen := map[string]any{}
		for _, field := range fields {
			project(chosen, value, field)
		}
		entries[i].Data = jsonbody.Encode(chosen)
	}
	return nil
}

// project copies one field, and makes the objects around it.
func project(to map[string]any, from any, field userdata.Field) {
	object, ok := from.(map[string]any)
	if !ok {
		return
	}
	value, ok := object[field[0]]
	switch {
	case !ok:
	case len(field) == 1:
		to[field[0]] = value
	default:
		inner, ok := to[field[0]].(map[string]any)
		if !ok {
			inner = map[string]any{}
		}
		if project(inner, value, field[1:]); len(inner) > 0 {
			to[field[0]] = inner
		}
	}
}

// conditions reads an object of conditions: {"paid": false, "amount": {"gt": 1000}}.
func (e *entryFields) conditions(where json.RawMessage) ([]userdata.Condition, error) {
	if len(where) == 0 {
		return nil, nil
	}
	if len(where) > maxWhereBytes {
		return nil, domain.Invalid("/where", "too_large", "The conditions have %d bytes; at most %d are allowed.", len(where), maxWhereBytes)
	}
	object, err := readConditions(where)
	if err != nil {
		return nil, err
	}
	var all []userdata.Condition
	for _, name := range slices.Sorted(maps.Keys(object)) {
		pointer := "/where/" + jsonbody.Part(name)
		field, types, err := e.find(pointer, name)
		if err != nil {
			return nil, err
		}
		comparisons, ok := object[name].(map[string]any)
		if !ok {
			comparisons = map[string]any{string(userdata.CompareEqual): object[name]}
		} else if len(comparisons) == 0 {
			return nil, domain.Invalid(pointer, "required", "Name a comparison: %s.", comparisonNames)
		}
		for _, compare := range slices.Sorted(maps.Keys(comparisons)) {
			at := pointer
			if ok {
				at += "/" + jsonbody.Part(compare)
			}
			c, err := condition(at, field, types, userdata.Comparison(compare), comparisons[compare])
			if err != nil {
				return nil, err
			}
			if all = append(all, c); len(all) > maxConditions {
				return nil, domain.Invalid("/where", "too_many", "At most %d conditions are allowed.", maxConditions)
			}
		}
	}
	return all, nil
}

// readConditions reads the object as a request's body is read: a repeated name or a text that cannot be stored is an error.
func readConditions(where json.RawMessage) (map[string]any, error) {
	value, err := asObject("/where", where)
	if err != nil {
		return nil, err
	}
	_, mistakes, err := jsonbody.Read(where, jsonbody.Rules{Bytes: maxWhereBytes})
	if err != nil {
		return nil, Unread("/where", "This is", err)
	}
	if len(mistakes.List) > 0 {
		m := mistakes.List[0]
		return nil, domain.Invalid("/where"+m.Pointer, m.Code, "%s", m.Message)
	}
	object, _ := value.(map[string]any)
	return object, nil
}

const comparisonNames = "eq, ne, lt, lte, gt, gte, in, contains or exists"

func condition(pointer string, field userdata.Field,
	types map[string]bool, compare userdata.Comparison, value any) (userdata.Condition, error) {
	c := userdata.Condition{Field: field, Compare: compare}
	var err error
	switch compare {
	case userdata.CompareEqual, userdata.CompareNotEqual:
		c.Value, err = operand(pointer, types, value)
	case userdata.CompareLess, userdata.CompareAtMost, userdata.CompareGreater, userdata.CompareAtLeast:
		switch value.(type) {
		case json.Number, string:
			c.Value, err = operand(pointer, types, value)
		default:
			err = domain.Invalid(pointer, "type", "%s compares with a number or a text.", compare)
		}
	case userdata.CompareIn:
		list, ok := value.([]any)
		if !ok {
			return c, domain.Invalid(pointer, "type", "in takes a list of values.")
		}
		if len(list) > maxInList {
			return c, domain.Invalid(pointer, "too_many", "At most %d values are allowed in a list.", maxInList)
		}
		values := make([]any, len(list))
		for i, one := range list {
			if values[i], err = operand(fmt.Sprintf("%s/%d", pointer, i), types, one); err != nil {
				return c, err
			}
		}
		c.Value = values
	case userdata.CompareContains:
		text, ok := value.(string)
		switch {
		case !ok || text == "":
			err = domain.Invalid(pointer, "type", "contains takes a text that is not empty.")
		case len(types) > 0 && !types["string"]:
			err = domain.Invalid(pointer, "type", "contains is for texts, and this field has the type %s.", typeNames(types))
		default:
			c.Value, err = operand(pointer, types, value)
		}
	case userdata.CompareExists:
		there, ok := value.(bool)
		if !ok {
			err = domain.Invalid(pointer, "type", "exists is true or false.")
		}
		c.Value = there
	default:
		err = domain.Invalid(pointer, "unknown", "There is no comparison %s. There are: %s.", jsonbody.Quote(string(compare)), comparisonNames)
	}
	return c, err
}

// operand checks a value that a field is compared with: it must be one that the field can have.
func operand(pointer string, types map[string]bool, value any) (any, error) {
	var kind string
	switch v := value.(type) {
	case nil:
		return nil, nil //nolint:nilnil // JSON's null, with which any field may be compared
	case bool:
		kind = "boolean"
	case string:
		kind = "string"
		if len([]rune(v)) > maxWhereText {
			return nil, domain.Invalid(pointer, "too_long", "A text to compare with has at most %d characters.", maxWhereText)
		}
	case json.Number:
		number, err := v.Float64()
		whole, notWhole := strconv.ParseInt(v.String(), 10, 64) // 2^53 + 1 is the same float as 2^53
		if err != nil || math.Abs(number) > exactNumber || notWhole == nil && (whole > exactNumber || whole < -exactNumber) {
			return nil, domain.Invalid(pointer, "out_of_range", "Numbers beyond 2^53 (9007199254740992) cannot be compared exactly.")
		}
		kind, value = "number", number
	default:
		return nil, domain.Invalid(pointer, "type", "A field is compared with a text, a number, true, false or null.")
	}
	if len(types) > 0 && !types[kind] {
		return nil, domain.Invalid(pointer, "type", "This field has the type %s and cannot be compared with a %s.", typeNames(types), kind)
	}
	return value, nil
}

func typeNames(types map[string]bool) string {
	names := slices.Sorted(maps.Keys(types))
	if types["integer"] {
		names = slices.DeleteFunc(names, func(name string) bool { return name == "number" })
	}
	return strings.Join(names, " or ")
}

// Entries returns a page of the entries that a query asks for, and the cursor of the next one, "" at the end.
func (r *Rules) Entries(ctx context.Context, store Store, query userdata.EntryQuery) ([]userdata.Entry, string, error) {
	filter, fields, err := r.filter(ctx, store, &query)
	if err != nil {
		return nil, "", err
	}
	entries, next, err := store.Entries(ctx, filter)
	if err == nil {
		err = Project(entries, fields)
	}
	return entries, next, err
}

func (r *Rules) filter(ctx context.Context, store Store, query *userdata.EntryQuery) (userdata.EntryFilter, []userdata.Field, error) {
	if len(query.Where) == 0 && query.OrderBy == "" && len(query.Fields) == 0 {
		return query.EntryFilter, nil, nil
	}
	_, t, err := r.typedTool(ctx, store, query.ToolID)
	if err != nil {
		return userdata.EntryFilter{}, nil, err
	}
	return Filter(t, query)
}
