package mcp

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/fermata-dev/fermata/internal/exactjson"
)

// revision2026 is the first revision without sessions, and the first with routing headers.
const revision2026 = "2026-07-28"

const revisionBefore = "2025-11-25"

func setAccepted(h http.Header) {
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
}

// routing returns the headers that repeat routing fields of the body for proxies.
func routing(request *jsonrpc.Request, called *tool, version string) http.Header {
	h := http.Header{}
	setAccepted(h)
	if version == "" {
		return h
	}
	h.Set("Mcp-Protocol-Version", version)
	if version < revision2026 {
		return h
	}
	h.Set("Mcp-Method", request.Method)
	var params struct {
		Name      string                     `json:"name"`
		TaskID    string                     `json:"taskId"`
		Arguments map[string]json.RawMessage `json:"arguments"`
	}
	_ = exactjson.Lenient(request.Params, &params) // encoded by us
	switch request.Method {
	case "tools/call":
		h.Set("Mcp-Name", headerText(params.Name))
	case methodTask, methodTaskUpdate, methodTaskCancel:
		h.Set("Mcp-Name", headerText(params.TaskID))
	}
	if called != nil {
		for _, m := range called.mirrored {
			if text, ok := headerValue(params.Arguments, m.path); ok {
				h.Set("Mcp-Param-"+m.header, text)
			}
		}
	}
	return h
}

// mirror is a parameter that the server also requires as a header.
type mirror struct {
	path   []string
	header string
}

type mirrorSchema struct {
	Type       any                     `json:"type"`
	Header     json.RawMessage         `json:"x-mcp-header"`
	Properties map[string]mirrorSchema `json:"properties"`
}

// mirrorsOf returns the mirrors in a tool's schema. A tool with an invalid mirror is left out.
func mirrorsOf(schema json.RawMessage) ([]mirror, error) {
	var root mirrorSchema
	if err := exactjson.Unmarshal(schema, &root); err != nil {
		return nil, errors.New("its parameter schema cannot be read")
	}
	var found []mirror
	err := root.walk(nil, map[string]bool{}, &found)
	return found, err
}

func (s mirrorSchema) walk(path []string, seen map[string]bool, found *[]mirror) error {
	for name, field := range s.Properties {
		at := append(append([]string{}, path...), name)
		if field.Header != nil {
			var header string
			kind, _ := field.Type.(string)
			switch {
			case exactjson.Unmarshal(field.Header, &header) != nil || !isToken(header):
				return errors.New("it requires a header with an invalid name")
			case kind != "string" && kind != "integer" && kind != "boolean":
				return errors.New("it requires a header for a parameter that is not a simple value")
			case seen[strings.ToLower(header)]:
				return errors.New("it requires two parameters in one header")
			}
			seen[strings.ToLower(header)] = true
			*found = append(*found, mirror{path: at, header: header})
		}
		if err := field.walk(at, seen, found); err != nil {
			return err
		}
	}
	return nil
}

// isToken reports whether a string is a valid header name.
func isToken(s string) bool {
	for _, c := range s {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", c)) {
			return false
		}
	}
	return s != "" && len(s) <= MaxNameBytes
}

const maxSafe = 1<<53 - 1

func headerValue(arguments map[string]json.RawMessage, path []string) (string, bool) {
	raw, ok := arguments[path[0]]
	for _, part := range path[1:] {
		var inner map[string]json.RawMessage
		if !ok || exactjson.Lenient(raw, &inner) != nil {
			return "", false
		}
		raw, ok = inner[part]
	}
	var value any
	if !ok || exactjson.Lenient(raw, &value) != nil {
		return "", false
	}
	switch v := value.(type) {
	case string:
		return headerText(v), true
	case bool:
		return strconv.FormatBool(v), true
	case float64:
		if v == math.Trunc(v) && math.Abs(v) <= maxSafe {
			return strconv.FormatInt(int64(v), 10), true
		}
	}
	return "", false
}

// headerText encodes a string as a header value.
func headerText(s string) string {
	plain := strings.TrimSpace(s) == s && !(strings.HasPrefix(s, "=?base64?") && strings.HasSuffix(s, "?="))
	for _, c := range s {
		plain = plain && c >= ' ' && c <= '~'
	}
	if plain {
		return s
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}
