package edge

import "net/http"

// endWithChunks closes the connection after a chunked request. One that has a
// Content-Length besides must not be followed by another on its connection (RFC 9112,
// 6.1): a proxy that goes by the length takes for its body what this server would read as
// the next request. net/http drops the length before anybody sees it, so it holds for
// all of them.
func endWithChunks(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 {
		w.Header().Set("Connection", "close")
	}
}
