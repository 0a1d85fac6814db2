package data

import (
	"context"
	"errors"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

const (
	// fitPage is how many entries are held in memory while they are checked.
	fitPage = 1000
	// shownMisfits bounds the tools and entries that an error names.
	shownMisfits = 10
)

// fitting holds what is stored against a tool type.
type fitting struct {
	rules            *Rules
	store            Store
	t                *userdata.ToolType
	configs, entries bool // what is checked

	tools, rows int // how many do not fit
	named       []domain.FieldError
}

// all checks every tool of the type.
func (f *fitting) all(ctx context.Context) error {
	if !f.configs && !f.entries {
		return nil
	}
	tools, err := toolsOf(ctx, f.store, f.t.ID)
	if err != nil {
		return err
	}
	return f.these(ctx, tools)
}

// these checks some tools, with their entries.
func (f *fitting) these(ctx context.Context, tools []userdata.Tool) error {
	for i := range tools {
		if f.configs {
			if err := f.rules.checkConfig(f.t, tools[i].Config); f.misfit("/config_schema", "config", tools[i].ID, err) {
				f.tools++
			}
		}
		if !f.entries {
			continue
		}
		if err := f.entriesOf(ctx, &tools[i]); err != nil {
			return err
		}
	}
	return f.verdict()
}

func (f *fitting) entriesOf(ctx context.Context, tool *userdata.Tool) error {
	for cursor, more := "", true; more; more = cursor != "" {
		page, next, err := f.store.Entries(ctx, userdata.EntryFilter{ToolID: tool.ID, Limit: fitPage, Cursor: cursor})
		if err != nil {
			return fmt.Errorf("read the entries of the tool %s: %w", tool.ID, err)
		}
		for i := range page {
			// Checking takes time that no database call bounds.
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("check the entries: %w", err)
			}
			if err := f.rules.checkData(f.t, tool, page[i].Data, ""); f.misfit("/entry_schema", "entry", page[i].ID, err) {
				f.rows++
			}
		}
		cursor = next
	}
	return nil
}

// misfit notes what does not fit.
func (f *fitting) misfit(pointer, noun, id string, err error) bool {
	if err == nil {
		return false
	}
	if len(f.named) < shownMisfits {
		reason := err.Error()
		if known, ok := errors.AsType[*domain.Error](err); ok {
			reason = known.Message
		}
		f.named = append(f.named, domain.FieldError{Pointer: pointer, Code: noun + "_misfit", Message: id + ": " + reason})
	}
	return true
}

func (f *fitting) verdict() error {
	if f.tools+f.rows == 0 {
		return nil
	}
	return &domain.Error{Code: domain.CodeTypeMisfit, Fields: f.named, Message: fmt.Sprintf(
		"%s and %s do not fit the tool type %s. Nothing was changed; the list names the first of them. Change them, or the schemas, and repeat.",
		domain.Plural(f.tools, "config", "configs"),
		domain.Plural(f.rows, "entry", "entries"),
		jsonbody.Quote(f.t.ID),
	)}
}
