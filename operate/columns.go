package operate

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fermata-dev/fermata/repository"
)

// kind is the type of a column, the same for both databases.
type kind int

const (
	isText kind = iota
	isInteger
	isTruth
	isReal
	isBytes
)

// kinds are the types as each database calls them.
var kinds = map[string]kind{
	"TEXT": isText, "BIGINT": isInteger, "INTEGER": isInteger, "INT8": isInteger, "BOOLEAN": isTruth, "BOOL": isTruth,
	"DOUBLE PRECISION": isReal, "FLOAT8": isReal, "BLOB": isBytes, "BYTEA": isBytes,
}

type column struct {
	name string
	kind kind
}

// querier is a connection or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// columnsOf asks the database which columns a table has.
func columnsOf(ctx context.Context, q querier, table string) (all []column, err error) {
	rows, err := q.QueryContext(ctx, "SELECT * FROM "+table+" WHERE 1 = 0")
	if err != nil {
		return nil, fmt.Errorf("look at the table %s: %w", table, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	return readColumns(table, rows)
}

// readColumns are those of a table of which rows were asked for.
func readColumns(table string, rows *sql.Rows) (all []column, err error) {
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, fmt.Errorf("look at the columns of %s: %w", table, err)
	}
	for _, t := range types {
		k, known := kinds[t.DatabaseTypeName()]
		if !known {
			return nil, fmt.Errorf("the column %s.%s has a type that no archive knows: %s", table, t.Name(), t.DatabaseTypeName())
		}
		all = append(all, column{t.Name(), k})
	}
	return all, rows.Err()
}

// out is a stored value as an archive holds it.
func (c column) out(value any) (any, error) {
	if value == nil {
		return nil, nil
	}
	switch v := value.(type) {
	case string:
		if c.kind == isText {
			return text(v), nil
		}
	case []byte:
		if c.kind == isText {
			return text(string(v)), nil
		}
		if c.kind == isBytes {
			return encoded(v), nil
		}
	case int64:
		switch c.kind {
		case isInteger:
			return v, nil
		case isTruth:
			return v != 0, nil
		case isReal:
			return float64(v), nil
		}
	case float64:
		if c.kind == isReal {
			return v, nil
		}
	case bool:
		if c.kind == isTruth {
			return v, nil
		}
	}
	return nil, fmt.Errorf("the column %s holds a %T", c.name, value)
}

// in is the other way.
func (c column) in(value any) (any, error) {
	if value == nil {
		return nil, nil
	}
	switch c.kind {
	case isText:
		b, err := decoded(value)
		return string(b), err
	case isBytes:
		return decoded(value)
	case isTruth:
		if v, ok := value.(bool); ok {
			return v, nil
		}
	case isInteger:
		if v, ok := value.(json.Number); ok {
			return v.Int64()
		}
	case isReal:
		if v, ok := value.(json.Number); ok {
			return v.Float64()
		}
	}
	return nil, fmt.Errorf("the column %s cannot hold a %T", c.name, value)
}

// Events are packed in the database; an archive holds what they say.
const packedEvents = "packed"

// unpacked replaces the packed events of a row by their texts.
func unpacked(row map[string]any, stored any) error {
	b, ok := stored.([]byte)
	if !ok {
		return nil // a row from before events were packed
	}
	events, err := repository.UnpackEvents(b)
	if err != nil {
		return err
	}
	texts := make([]any, len(events))
	for i, e := range events {
		texts[i] = text(string(e))
	}
	row[packedEvents] = texts
	return nil
}

// packed is the other way.
func packed(value any) (any, error) {
	texts, ok := value.([]any)
	if !ok {
		return nil, nil
	}
	events := make([][]byte, len(texts))
	for i, t := range texts {
		var err error
		if events[i], err = decoded(t); err != nil {
			return nil, err
		}
	}
	return repository.PackEvents(events)
}
