package mcp

import (
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// challenge is what a server says about whom it would let in.
type challenge struct {
	metadata string // where the resource describes itself
	scope    string
	more     string // the scope that a sign-in lacks
}

// Error is its name in the process log.
func (c *challenge) Error() string { return "the server wants a sign-in" }

func challengeOf(response *http.Response) *challenge {
	c := &challenge{}
	headers := response.Header.Values("Www-Authenticate")
	if len(strings.Join(headers, "")) > MaxTextBytes {
		return c
	}
	challenges, _ := oauthex.ParseWWWAuthenticate(headers) // one that cannot be read says nothing
	for _, one := range challenges {
		if strings.EqualFold(one.Scheme, "bearer") {
			c.metadata = firstOf(c.metadata, one.Params["resource_metadata"])
			c.scope = firstOf(c.scope, one.Params["scope"])
			if one.Params["error"] == insufficientScope {
				c.more = firstOf(c.more, one.Params["scope"])
			}
		}
	}
	return c
}

const insufficientScope = "insufficient_scope"

// wantsMoreScope: the sign-in is known, and allows too little.
func wantsMoreScope(response *http.Response) bool {
	challenges, err := oauthex.ParseWWWAuthenticate(response.Header.Values("Www-Authenticate"))
	if err != nil {
		return false
	}
	for _, one := range challenges {
		if strings.EqualFold(one.Scheme, "bearer") && one.Params["error"] == insufficientScope {
			return true
		}
	}
	return false
}
