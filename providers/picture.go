package providers

import "encoding/base64"

// AppendBase64 appends content in base64, as every vendor accepts it.
func AppendBase64(b, content []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(b, '"'), content), '"')
}
