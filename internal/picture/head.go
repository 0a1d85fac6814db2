package picture

import (
	"bytes"
	"encoding/binary"
	"image"
)

// head is the part of a JPEG header that the decoder does not return.
type head struct {
	progressive bool
	channels    int
	orientation int // by Exif: 1 to 8, 0 if unknown
}

// headOf reads the markers of a JPEG before its image data.
func headOf(format string, data []byte) (h head) {
	if format != formatJPEG {
		return h
	}
	for at := 2; at+4 <= len(data) && data[at] == 0xff; {
		marker, size := data[at+1], int(binary.BigEndian.Uint16(data[at+2:]))
		if marker == 0xff { // padding
			at++
			continue
		}
		if size < 2 || at+2+size > len(data) || marker == 0xda {
			return h
		}
		body := data[at+4 : at+2+size]
		switch {
		case marker == 0xe1 && h.orientation == 0:
			h.orientation = orientationOf(body)
		case marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc && len(body) > 5:
			h.progressive, h.channels = marker == 0xc2, int(body[5])
		}
		at += 2 + size
	}
	return h
}

const tagOrientation = 0x0112

// orientationOf reads the camera's orientation from an Exif segment; 0 if it is missing.
func orientationOf(segment []byte) int {
	tiff, ok := bytes.CutPrefix(segment, []byte("Exif\x00\x00"))
	if !ok || len(tiff) < 8 {
		return 0
	}
	var order binary.ByteOrder = binary.BigEndian
	if tiff[0] == 'I' {
		order = binary.LittleEndian
	}
	at := int(order.Uint32(tiff[4:]))
	if at < 8 || at+2 > len(tiff) {
		return 0
	}
	n := int(order.Uint16(tiff[at:]))
	for entry := at + 2; n > 0 && entry+12 <= len(tiff); entry, n = entry+12, n-1 {
		if order.Uint16(tiff[entry:]) == tagOrientation {
			if o := int(order.Uint16(tiff[entry+8:])); o >= 1 && o <= 8 {
				return o
			}
			return 0
		}
	}
	return 0
}

// upright rotates and mirrors a picture by its Exif orientation.
func (h head) upright(src *image.RGBA) *image.RGBA {
	if h.orientation <= 1 {
		return src
	}
	w, height := src.Rect.Dx(), src.Rect.Dy()
	turned := h.orientation >= 5 // width and height are swapped
	size := image.Rect(0, 0, w, height)
	if turned {
		size = image.Rect(0, 0, height, w)
	}
	dst := image.NewRGBA(size)
	for y := range size.Dy() {
		for x := range size.Dx() {
			fromX, fromY := h.origin(x, y, w, height)
			copy(dst.Pix[dst.PixOffset(x, y):][:4], src.Pix[src.PixOffset(fromX, fromY):][:4])
		}
	}
	return dst
}

// origin is the source pixel, in a picture of w × h, of the pixel x, y of the upright picture.
func (h head) origin(x, y, w, height int) (fromX, fromY int) {
	switch h.orientation {
	case 2:
		return w - 1 - x, y
	case 3:
		return w - 1 - x, height - 1 - y
	case 4:
		return x, height - 1 - y
	case 5:
		return y, x
	case 6:
		return y, height - 1 - x
	case 7:
		return w - 1 - y, height - 1 - x
	case 8:
		return w - 1 - y, x
	}
	return x, y
}
