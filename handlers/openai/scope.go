package openai

import (
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
)

const (
	sessionHeader   = "X-Fermata-Session"
	openWebUIHeader = "X-Openwebui-Chat-Id"
)

// scope is what a client says of which conversation is meant.
type scope struct {
	name string // the session's external id, or its id; "": nothing is said
	// ours: the client knows Fermata. It need not send what was said before.
	ours bool
}

// scopeOf reads the headers that name a session; own is that of the workspace's settings.
func scopeOf(r *http.Request, own func() (string, error)) (scope, error) {
	if name := strings.TrimSpace(r.Header.Get(sessionHeader)); name != "" {
		return scope{name: name, ours: true}, nil
	}
	if name := strings.TrimSpace(r.Header.Get(openWebUIHeader)); name != "" {
		return scope{name: name}, nil
	}
	header, err := own()
	if err != nil || header == "" {
		return scope{}, err
	}
	return scope{name: strings.TrimSpace(r.Header.Get(header))}, nil
}

// maxScope is how long the name of a conversation may be, as that of an external id.
const maxScope = 200

func (s scope) check() error {
	if len(s.name) > maxScope || !domain.IsName(s.name) && s.name != "" {
		return domain.Errorf(domain.CodeInvalid, "The header that names the conversation takes a line of %d bytes at most.", maxScope)
	}
	return nil
}

// isID says whether the name is the id of a session, rather than one that the client gave.
func (s scope) isID() bool {
	id, ok := strings.CutPrefix(s.name, domain.PrefixSession+"_")
	return ok && len(id) == 32
}

// seed keeps apart what is said under different names. What is said under none is kept apart
// by who says it.
func (s scope) seed(who *auth.Identity) string {
	if s.name == "" {
		return "key " + who.Name
	}
	return "name " + s.name
}
