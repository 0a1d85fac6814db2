package auth

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Origins are those of other front ends, whose pages may use the API. Without any, a page
// of another origin may not.
type Origins map[string]struct{}

var defaultPorts = map[string]string{"http": ":80", "https": ":443"}

// ParseOrigins takes exact origins, "scheme://host[:port]", and gives them as browsers
// write them.
func ParseOrigins(texts ...string) (Origins, error) {
	out := Origins{}
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		origin, err := parseOrigin(text)
		if err != nil {
			return nil, fmt.Errorf("%q is no origin: %w", text, err)
		}
		out[origin] = struct{}{}
	}
	return out, nil
}

func parseOrigin(text string) (string, error) {
	if strings.Contains(text, "*") {
		return "", errors.New("list each origin; * is not supported")
	}
	if strings.EqualFold(text, "null") {
		return "", errors.New("null is the origin of any local file or sandboxed page, so it cannot be allowed")
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" || u.Hostname() == "" { // ":80" is a port without a host
		return "", errors.New("it reads scheme://host or scheme://host:port, like https://app.example")
	}
	if u.User != nil || u.Path != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.HasSuffix(text, "#") {
		return "", errors.New("it must end with the host or the port: no path, not even a trailing /, no query, no user")
	}
	host := strings.ToLower(u.Host)
	if strings.HasSuffix(host, ":") ||
		strings.Trim(strings.NewReplacer("[", "", "]", "", ":", "").Replace(host), "abcdefghijklmnopqrstuvwxyz0123456789-._") != "" {
		return "", errors.New("its host is letters, digits, - and . (other letters as punycode: xn--…)")
	}
	return u.Scheme + "://" + strings.TrimSuffix(host, defaultPorts[u.Scheme]), nil
}

// Allow says whether pages of an origin, as a browser names it, may use the API.
func (o Origins) Allow(origin string) bool {
	_, ok := o[origin]
	return ok
}
