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

// scope identifies the conversation that a client means.
type scope struct {
	name string // the external id or id of a session; "": not named
	// ours: the client uses our header. It need not send the history.
	ours bool
}

// scopeOf reads the headers that name a session; own returns the header in the workspace's settings.
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

// maxScope limits the name of a conversation, like an external id.
const maxScope = 200

func (s scope) check() error {
	if len(s.name) > maxScope || !domain.IsName(s.name) && s.name != "" {
		return domain.Errorf(domain.CodeInvalid, "The header that names the conversation takes one line of at most %d bytes.", maxScope)
	}
	return nil
}

// seed separates histories with different names; those without a name are separated by the caller.
func (s scope) seed(who *auth.Identity) string {
	if s.name == "" {
		return "key " + who.Name
	}
	return "name " + s.name
}
