package edge_test

import (
	"io"
	"net"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/handlers/servertest"
)

// TestNothingIsSmuggledBehindChunks: a request with a length and chunks is answered, and
// what stands behind its chunks is never read as a request.
func TestNothingIsSmuggledBehindChunks(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	const head = " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer root\r\nContent-Type: application/json\r\n"
	smuggled := "POST /v1/zones" + head + "Connection: close\r\nContent-Length: 19\r\n\r\n" + `{"name":"Smuggled"}`
	for name, length := range map[string]string{"both": "Content-Length: 400\r\n", "chunks alone": ""} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(c.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		request := "POST /v1/zones" + head + length + "Transfer-Encoding: chunked\r\n\r\n10\r\n" + `{"name":"First"}` + "\r\n0\r\n\r\n" + smuggled
		if _, err := io.WriteString(conn, request); err != nil {
			t.Fatal(err)
		}
		answers, err := io.ReadAll(conn) // up to the end: the server closes
		if err != nil {
			t.Fatalf("%s: %v after %s", name, err, answers)
		}
		_ = conn.Close()
		if n := strings.Count(string(answers), "HTTP/1.1 "); n != 1 || strings.Contains(string(answers), "Smuggled") {
			t.Errorf("%s: %d answers: %s", name, n, answers)
		}
	}
}
