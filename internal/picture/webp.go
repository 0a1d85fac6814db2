package picture

import (
	"encoding/binary"
	"image"
)

const (
	riffHead   = 12
	chunkHead  = 8
	frameHead  = 16
	animated   = 0x02
	withAlpha  = 0x10
	canvasSize = 10
)

// firstFrame is the first picture of an animated WebP as a file of its own: the decoder
// knows no animations. Any other file comes back as it is.
func firstFrame(data []byte) []byte {
	name, body, rest := chunk(data[riffHead:])
	if name != "VP8X" || len(body) < canvasSize || body[0]&animated == 0 {
		return data
	}
	for len(rest) > 0 && name != "ANMF" {
		name, body, rest = chunk(rest)
	}
	if name != "ANMF" || len(body) < frameHead+chunkHead {
		return data
	}
	size, frames := body[6:12], body[frameHead:] // width and height less one, three bytes each
	var flags byte
	if string(frames[:4]) == "ALPH" {
		flags = withAlpha
	}
	out := append([]byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00"), flags, 0, 0, 0)
	out = append(append(out, size...), frames...)
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	return out
}

// chunk is the first chunk of what follows, and what comes behind it; "" where there is none.
func chunk(data []byte) (name string, body, rest []byte) {
	if len(data) < chunkHead {
		return "", nil, nil
	}
	size := int64(binary.LittleEndian.Uint32(data[4:]))
	end := chunkHead + size
	if end > int64(len(data)) {
		return "", nil, nil
	}
	return string(data[:4]), data[chunkHead:end], data[min(end+size%2, int64(len(data))):]
}

// lossy says whether a WebP was packed as photographs are, with nothing to see through.
func lossy(decoded image.Image) bool {
	_, plain := decoded.(*image.YCbCr)
	return plain
}
