package suite

import (
	"bytes"
	"image"
	_ "image/jpeg" // the formats that vendors are sent
	_ "image/png"
)

// IsPicture says whether a content is a picture of the type that is said of it, as vendors
// demand.
func IsPicture(mediaType string, content []byte) bool {
	_, format, err := image.Decode(bytes.NewReader(content))
	return err == nil && mediaType == "image/"+format
}
