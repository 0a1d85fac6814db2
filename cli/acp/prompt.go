package acp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// prompt is a request of the editor that is waiting for its round.
type prompt struct {
	cancelled atomic.Bool
	message   string // id of its message; this and the fields below are guarded by the session's mu
	placed    bool   // it is no longer queued
	after     int64  // sequence number of the event that placed it
	done      chan outcome
}

// outcome is the response to a prompt.
type outcome struct {
	reason string
	usage  api.Usage
	err    error
}

func (a *Agent) prompt(_ context.Context, params json.RawMessage) (finishFunc, error) {
	var in promptParams
	if err := read(params, &in); err != nil {
		return nil, err
	}
	content, err := readPrompt(in.Prompt)
	if err != nil {
		return nil, err
	}
	p := &prompt{done: make(chan outcome, 1)}
	s := a.openSessionByID(in.SessionID)
	if s != nil {
		s.addPrompt(p) // before the next message, which may cancel it
	}
	return func(ctx context.Context) (any, error) {
		if s == nil {
			opened, err := a.sessionByID(ctx, in.SessionID)
			if err != nil {
				return nil, err
			}
			s = opened
			s.addPrompt(p)
		}
		if err := s.send(ctx, p, content); err != nil {
			s.finish(p, outcome{err: err})
		}
		select {
		case o := <-p.done:
			return o.result()
		case <-s.stopped:
		case <-ctx.Done():
		}
		select {
		case o := <-p.done:
			return o.result()
		default: // it was added after following had stopped
			return nil, errClosed
		}
	}, nil
}

func (o outcome) result() (any, error) {
	if o.err != nil {
		return nil, o.err
	}
	return fields{"stopReason": o.reason, "_meta": fields{"fermata": fields{"usage": o.usage}}}, nil
}

// promptPart is a part of a prompt: text of the person, or the text of a resource that the editor
// embedded.
type promptPart struct {
	text     string
	resource string // the name of the resource; "": text of the person
}

// promptContent is what a prompt consists of, in its order.
type promptContent []promptPart

// words returns the text of the person.
func (c promptContent) words() string {
	var b strings.Builder
	for _, p := range c {
		if p.resource == "" {
			b.WriteString(p.text)
		}
	}
	return b.String()
}

func (c promptContent) embeds() bool {
	return slices.ContainsFunc(c, func(p promptPart) bool { return p.resource != "" })
}

// readPrompt reads the blocks of a prompt. Links become text. The text of an embedded resource is
// kept apart, because the person did not write it: it is stored as a file, and counts as external
// content there.
func readPrompt(blocks []block) (promptContent, error) {
	var content promptContent
	var text strings.Builder // a prompt may have a hundred thousand blocks
	flush := func() {
		if text.Len() > 0 {
			content = append(content, promptPart{text: text.String()})
			text.Reset()
		}
	}
	for _, b := range blocks {
		switch {
		case b.Type == "text":
			text.WriteString(b.Text)
		case b.Type == "resource_link":
			text.WriteString("[" + b.Name + "](" + b.URI + ")")
		case b.Type == "resource" && b.Resource.Text != nil:
			text.WriteString("\n\n" + b.Resource.URI + ":\n\n")
			if *b.Resource.Text != "" {
				flush()
				content = append(content, promptPart{text: *b.Resource.Text, resource: resourceName(b.Resource.URI)})
			}
		default:
			return nil, newFailure(codeParams, "invalid", "A prompt can contain texts, links and embedded texts, but not %q.", b.Type)
		}
	}
	flush()
	if strings.TrimSpace(content.words()) == "" && !content.embeds() {
		return nil, newFailure(codeParams, "invalid", "The prompt is empty.")
	}
	return content, nil
}

// resourceName returns the last segment of the path of a URI.
func resourceName(uri string) string {
	location := uri
	if u, err := url.Parse(uri); err == nil && u.Path != "" {
		location = u.Path
	}
	if name := path.Base(location); name != "." && name != "/" {
		return name
	}
	return "resource"
}

// message returns the body of the request that sends the prompt, with the embedded resources
// uploaded as files.
func (c promptContent) message(ctx context.Context, server Server) (fields, error) {
	if !c.embeds() {
		return fields{"text": c.words()}, nil
	}
	segments := make([]fields, len(c))
	for i, p := range c {
		if p.resource == "" {
			segments[i] = fields{"type": "text", "text": p.text}
			continue
		}
		id, err := server.Upload(ctx, p.resource, p.text)
		if err != nil {
			return nil, err
		}
		segments[i] = fields{"type": "file", "file_id": id}
	}
	return fields{"segments": segments}, nil
}

// addPrompt adds a prompt to those that are waiting.
func (s *session) addPrompt(p *prompt) {
	s.promptsMu.Lock()
	defer s.promptsMu.Unlock()
	s.prompts = append(s.prompts, p)
}

func (s *session) pendingPrompts() []*prompt {
	s.promptsMu.Lock()
	defer s.promptsMu.Unlock()
	return slices.Clone(s.prompts)
}

// finish answers a prompt, once.
func (s *session) finish(p *prompt, o outcome) {
	s.promptsMu.Lock()
	i := slices.Index(s.prompts, p)
	if i >= 0 {
		s.prompts = slices.Delete(s.prompts, i, i+1)
	}
	s.promptsMu.Unlock()
	if i >= 0 {
		p.done <- o
	}
}

// outcome returns how the round of a prompt ended.
func (s *session) outcome(p *prompt) outcome {
	o := outcome{reason: s.round.reason, usage: s.round.usage}
	switch {
	case p.cancelled.Load():
		o.reason = "cancelled"
	case s.round.failure != nil:
		o.err = s.round.failure
	case o.reason == "":
		o.reason = "end_turn"
	}
	return o
}

// send submits a prompt: as the answer to a question, or as a message.
func (s *session) send(ctx context.Context, p *prompt, content promptContent) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := content.words()
	if s.question != "" {
		if content.embeds() {
			return newFailure(codeParams, "invalid", "The prompt answers a question, which takes text alone. Send the answer without embedded resources.")
		}
		var result api.AnswerResult
		err := s.Server.Insist(ctx, http.MethodPost, "/v1/approvals/"+s.question, fields{"value": text}, &result)
		if err == nil {
			s.question, p.placed, p.after = "", true, result.EventSeq
			return nil
		}
		if codeOf(err) != "validation_resolved" {
			return err
		}
	}
	message, err := content.message(ctx, s.Server)
	if err != nil {
		return err
	}
	var receipt api.MessageAccepted
	if err := s.Server.Insist(ctx, http.MethodPost, sessionPath(s.id)+"/messages", message, &receipt); err != nil {
		return err
	}
	p.message, p.placed, p.after = receipt.Message.ID, receipt.Message.Seq != nil, receipt.EventSeq
	s.updates.ownMessages[p.message] = true
	if s.unnamed {
		s.unnamed = false
		s.name(ctx, text)
	}
	return nil
}

// name names the session after the first line of its first prompt. A failure is only logged.
func (s *session) name(ctx context.Context, text string) {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	name := shorten.Characters(line, 60)
	if err := s.Server.Call(ctx, http.MethodPatch, sessionPath(s.id), fields{"name": name}, nil); err != nil {
		s.Log("name %s: %v", s.id, err)
		return
	}
	s.updates.update("session_info_update", fields{"title": name})
}

// interrupt withdraws queued prompts and interrupts the round in progress. The events that follow
// answer the prompts.
func (s *session) interrupt(ctx context.Context) {
	for _, p := range s.pendingPrompts() {
		p.cancelled.Store(true)
	}
	s.mu.Lock() // a prompt that is being sent has arrived
	defer s.mu.Unlock()
	for _, p := range s.pendingPrompts() {
		if p.message != "" && !p.placed && s.Server.Call(ctx, http.MethodDelete, sessionPath(s.id)+"/messages/"+p.message, nil, nil) == nil {
			s.finish(p, outcome{reason: "cancelled"})
		}
	}
	err := s.Server.Call(ctx, http.MethodPost, sessionPath(s.id)+"/interrupt", nil, nil)
	if err == nil || codeOf(err) == "wrong_phase" { // it is idle already
		return
	}
	s.Log("interrupt %s: %v", s.id, err)
	for _, p := range s.pendingPrompts() {
		s.finish(p, outcome{reason: "cancelled"})
	}
}

// messageDeleted answers a prompt whose message was withdrawn.
func (s *session) messageDeleted(m *api.Message) {
	for _, p := range s.pendingPrompts() {
		if p.message != "" && p.message == m.ID {
			s.finish(p, outcome{reason: "cancelled"})
		}
	}
}
