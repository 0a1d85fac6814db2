package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/exactjson"
)

// wireResult is the result of tools/call, in both revisions.
type wireResult struct {
	Type       string          `json:"resultType"`
	Content    []wireContent   `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
	Task       *wireTask       `json:"task"` // 2025-11-25
	wireTask                   // 2026-07-28
}

type wireContent struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Data     string `json:"data"`
	MIME     string `json:"mimeType"`
	URI      string `json:"uri"`
	Name     string `json:"name"`
	Resource struct {
		URI  string `json:"uri"`
		MIME string `json:"mimeType"`
		Text string `json:"text"`
		Blob string `json:"blob"`
	} `json:"resource"`
}

// readResult converts a server's result to text for the AI.
func readResult(raw json.RawMessage) (outside.Result, error) {
	var r wireResult
	if err := exactjson.Lenient(raw, &r); err != nil {
		return outside.Result{}, unknownOutcome("The server's answer cannot be read.", err)
	}
	task := r.Task
	if r.Type == "task" {
		task = &r.wireTask
	}
	if task != nil {
		if task.ID == "" || len(task.ID) > MaxTitleBytes {
			return outside.Result{}, unknownOutcome("The server started a task without an ID.", nil)
		}
		return outside.Result{Task: task.handle()}, nil
	}
	return r.result(), nil
}

func (r wireResult) result() outside.Result {
	out := outside.Result{Failed: r.IsError}
	var text strings.Builder
	for _, c := range r.Content {
		if text.Len() > MaxResultBytes {
			break // truncated below
		}
		if text.Len() > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(c.text())
	}
	out.Text = strings.ToValidUTF8(text.String(), "\uFFFD")
	if len(out.Text) > MaxResultBytes {
		out.Text, out.Cut = cut(out.Text, MaxResultBytes)+cutMark, true
	}
	if len(r.Structured) > 0 && string(r.Structured) != "null" {
		if len(r.Structured) <= MaxResultBytes {
			out.JSON = r.Structured
		} else {
			out.Text, out.Cut = out.Text+fmt.Sprintf("\n[its structured part, %d bytes, is left out]", len(r.Structured)), true
		}
	}
	return out
}

const cutMark = "\n[cut here: the answer is longer than 256 KiB]"

// text renders a part of a result as text. Parts that are not text are named with their size.
func (c wireContent) text() string {
	switch c.Type {
	case "text":
		return c.Text
	case "image", "audio":
		return fmt.Sprintf("[%s left out: %s, %d bytes]", c.Type, cut(c.MIME, MaxNameBytes), len(c.Data)/4*3)
	case "resource_link":
		return fmt.Sprintf("[a resource, not fetched: %s %s]", cut(c.Name, MaxNameBytes), cut(c.URI, MaxTitleBytes))
	case "resource":
		if c.Resource.Text != "" {
			return fmt.Sprintf("[resource %s]\n%s", cut(c.Resource.URI, MaxTitleBytes), c.Resource.Text)
		}
		uri, kind := cut(c.Resource.URI, MaxTitleBytes), cut(c.Resource.MIME, MaxNameBytes)
		return fmt.Sprintf("[resource left out: %s, %s, %d bytes]", uri, kind, len(c.Resource.Blob)/4*3)
	}
	return fmt.Sprintf("[a part left out, of type %q]", cut(c.Type, MaxNameBytes))
}

const (
	minPoll     = time.Second
	maxPoll     = 5 * time.Minute
	defaultPoll = 5 * time.Second
)

// handle returns the handle of a task that the server started.
func (t *wireTask) handle() *outside.TaskHandle {
	h := &outside.TaskHandle{ID: t.ID, Poll: t.poll()}
	if life := t.life(); life > 0 {
		h.Deadline = clock.System().Add(life)
	}
	return h
}
