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

// firstFrame extracts the first frame of an animated WebP as a file, since the decoder does not support
// animations. Any other file is returned unchanged.
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
	size, frames := body[6:12], body[frameHead:] // width and height minus one, three bytes each
	var flags byte
	if string(frames[:4]) == "ALPH" {
		flags = withAlpha
	}
	out := append([]byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00"), flags, 0, 0, 0)
	out = append(append(out, size...), frames...)
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	return out
}

// chunk splits off the first chunk; "" if there is none.
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

// lossy reports whether a WebP was encoded as a photograph, without transparency.
func lossy(decoded image.Image) bool {
	_, plain := decoded.(*image.YCbCr)
	return plain
}
