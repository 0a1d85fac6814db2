package edge

import (
	"net/http"
	"net/url"
	"strings"
)

// publicPath is the path of the public URL, such as "/fermata" of https://host/fermata; "" if the server has a
// host of its own. Proxies may keep this path in what they pass on, or strip it: both work. Addresses in
// responses begin with it, relative links on pages need no help, and cookies are for the whole host, as the
// prefix __Host- demands: they have the path in their names.
type publicPath string

func publicPathOf(publicURL string) publicPath {
	u, err := url.Parse(publicURL)
	if err != nil {
		return ""
	}
	return publicPath(strings.TrimRight(u.EscapedPath(), "/"))
}

// strip returns the request without the public path, if the proxy kept it. moved is the address to redirect
// to when a slash is missing at the end of the public path: relative links would resolve against its parent.
func (p publicPath) strip(r *http.Request) (stripped *http.Request, moved string) {
	if p == "" {
		return r, ""
	}
	path := r.URL.EscapedPath()
	if path == string(p) && Safe(r.Method) {
		moved = "/" // the public path is put before it
		if r.URL.RawQuery != "" {
			moved += "?" + r.URL.RawQuery
		}
		return r, moved
	}
	rest, kept := strings.CutPrefix(path, string(p)+"/")
	if !kept {
		return r, ""
	}
	unescaped, err := url.PathUnescape("/" + rest)
	if err != nil {
		return r, ""
	}
	address := *r.URL
	address.Path, address.RawPath = unescaped, "/"+rest
	own := *r
	own.URL = &address
	return &own, ""
}

// redirect puts the public path before the Location of a response, if that is a path of this server.
func (p publicPath) redirect(h http.Header) {
	if to := h.Get("Location"); p != "" && strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") {
		h.Set("Location", string(p)+to)
	}
}

// Trim removes the public path from an address that the page names itself by.
func (p publicPath) Trim(path string) string {
	rest, ok := strings.CutPrefix(path, string(p))
	switch {
	case p == "" || !ok:
		return path
	case rest == "" || strings.HasPrefix(rest, "#"):
		return "/" + rest
	case !strings.HasPrefix(rest, "/"):
		return path
	}
	return rest
}
