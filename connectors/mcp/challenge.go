package mcp

import (
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// challenge is the parsed WWW-Authenticate header of a server.
type challenge struct {
	metadata string // URL of the resource metadata
	scope    string
	more     string // missing scope
}

// Error returns a description for the process log.
func (c *challenge) Error() string { return "the server requires a sign-in" }

func challengeOf(response *http.Response) *challenge {
	c := &challenge{}
	headers := response.Header.Values("Www-Authenticate")
	if len(strings.Join(headers, "")) > MaxTextBytes {
		return c
	}
	challenges, _ := oauthex.ParseWWWAuthenticate(headers) // // malformed headers are ignored
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

// wantsMoreScope reports whether the token is valid but lacks a scope.
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
