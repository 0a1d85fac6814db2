package fake

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/providers/suite"
)

// Gemini is a vendor of the kind gemini.
func Gemini() suite.Fake {
	return suite.Fake{
		Name: "gemini", Kind: "gemini", Write: write,
		Config: func(url string, protocol domain.Protocol) map[string]any {
			return map[string]any{"base_url": url, "model": "gemini-3-flash", "protocol": string(protocol)}
		},
	}
}

// write sends a reply in the form that the request asks for.
func write(w http.ResponseWriter, r *http.Request, body []byte, reply suite.Reply) {
	streamed := strings.HasSuffix(r.URL.Path, ":streamGenerateContent") && r.URL.RawQuery == "alt=sse"
	whole := strings.HasSuffix(r.URL.Path, ":generateContent") && r.URL.RawQuery == ""
	var request struct {
		Contents         []json.RawMessage `json:"contents"`
		GenerationConfig struct {
			MaxOutputTokens int `json:"maxOutputTokens"`
		} `json:"generationConfig"`
	}
	if !streamed && !whole || !strings.HasPrefix(r.URL.Path, "/v1beta/models/") || r.Header.Get("X-Goog-Api-Key") == "" ||
		json.Unmarshal(body, &request) != nil || len(request.Contents) == 0 || !goodPictures(request.Contents) || request.GenerationConfig.MaxOutputTokens == 0 {
		http.Error(w, `{"error":{"code":400,"message":"not a request of this wire","status":"INVALID_ARGUMENT"}}`, http.StatusBadRequest)
		return
	}
	if streamed {
		stream(w, r, reply)
		return
	}
	send(w, r, reply)
}

// goodPictures: what is sent in line is a picture of the type that is said of it.
func goodPictures(contents []json.RawMessage) bool {
	for _, raw := range contents {
		var content struct {
			Parts []struct {
				InlineData *struct {
					MimeType string `json:"mimeType"`
					Data     []byte `json:"data"` // of base64
				} `json:"inlineData"`
			} `json:"parts"`
		}
		if json.Unmarshal(raw, &content) != nil {
			return false
		}
		for _, p := range content.Parts {
			if p.InlineData != nil && !suite.IsPicture(p.InlineData.MimeType, p.InlineData.Data) {
				return false
			}
		}
	}
	return true
}

var finishes = map[string]string{"stop": "STOP", "calls": "STOP", "length": "MAX_TOKENS", "refused": "SAFETY"}

func usage(reply suite.Reply) string {
	u := reply.Usage
	return fmt.Sprintf(`{"promptTokenCount":%d,"cachedContentTokenCount":%d,"candidatesTokenCount":%d,"thoughtsTokenCount":%d}`,
		u.InputTokens+u.CacheReadTokens, u.CacheReadTokens, u.OutputTokens-u.ReasoningTokens, u.ReasoningTokens)
}

// parts are the parts of a reply in order. Arguments that are no JSON cannot be sent on
// this wire: the vendor sends calls whole.
func parts(reply suite.Reply) []string {
	var out []string
	for _, piece := range reply.Thinking {
		out = append(out, `{"text":`+suite.Quote(piece)+`,"thought":true}`)
	}
	for _, piece := range reply.Text {
		out = append(out, `{"text":`+suite.Quote(piece)+`}`)
	}
	for _, call := range reply.Calls {
		arguments := call.Arguments
		if !json.Valid([]byte(arguments)) {
			arguments = `{}`
		}
		out = append(out, fmt.Sprintf(`{"functionCall":{"name":%q,"args":%s}}`, call.Name, arguments))
	}
	return out
}

func stream(w http.ResponseWriter, r *http.Request, reply suite.Reply) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(parts, rest string) {
		_, _ = fmt.Fprintf(w, "data: {\"candidates\":[{\"content\":{\"parts\":[%s],\"role\":\"model\"}%s,\"index\":0}],\"usageMetadata\":%s,\"modelVersion\":\"m-1\",\"responseId\":\"r1\"}\r\n\r\n",
			parts, rest, usage(reply))
		w.(http.Flusher).Flush()
	}
	for _, part := range parts(reply) {
		send(part, "")
	}
	if reply.BreaksOff(w, r, "data: "+overloaded+"\r\n\r\n") {
		return
	}
	send(`{"text":""}`, fmt.Sprintf(`,"finishReason":%q`, finishes[reply.StopReason]))
}

// overloaded is the API's error during a stream.
const overloaded = `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`

func send(w http.ResponseWriter, r *http.Request, reply suite.Reply) {
	text := fmt.Sprintf(`{"candidates":[{"content":{"parts":[%s],"role":"model"},"finishReason":%q,"index":0}],"usageMetadata":%s,"modelVersion":"m-1"}`,
		strings.Join(parts(reply), ","), finishes[reply.StopReason], usage(reply))
	reply.SendWhole(w, r, text, overloaded)
}
