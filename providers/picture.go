package providers

import "encoding/base64"

// AppendBase64 writes a content as the text between quotes that every vendor takes.
func AppendBase64(b, content []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(b, '"'), content), '"')
}
