package edge

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// Prefers says whether the header Accept names a media type, with a weight above 0, and
// does not prefer application/json to it.
func Prefers(r *http.Request, kind string) bool {
	wanted, plain := 0.0, -1.0
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		named, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		weight := 1.0
		if text, given := params["q"]; given {
			if weight, err = strconv.ParseFloat(text, 64); err != nil {
				continue
			}
		}
		switch named {
		case kind:
			wanted = weight
		case "application/json":
			plain = weight
		}
	}
	return wanted > 0 && wanted >= plain
}
