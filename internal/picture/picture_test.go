package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"runtime"
	"testing"
)

// halves is a picture whose left half is red and whose right half is blue; its first row is
// green, so that its orientation can be recognised.
func halves(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.RGBA{0, 0, 255, 255}
			if x < w/2 {
				c = color.RGBA{255, 0, 0, 255}
			}
			if y < h/8 {
				c = color.RGBA{0, 255, 0, 255}
			}
			m.Set(x, y, c)
		}
	}
	return m
}

func asPNG(m image.Image) []byte {
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func asJPEG(m image.Image) []byte {
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, nil); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func asGIF(frames ...image.Image) []byte {
	all := &gif.GIF{}
	for _, f := range frames {
		p := image.NewPaletted(f.Bounds(), color.Palette{color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 255, 255}, color.RGBA{0, 255, 0, 255}})
		for y := range f.Bounds().Dy() {
			for x := range f.Bounds().Dx() {
				p.Set(x, y, f.At(x, y))
			}
		}
		all.Image, all.Delay = append(all.Image, p), append(all.Delay, 1)
	}
	var out bytes.Buffer
	if err := gif.EncodeAll(&out, all); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// exif puts an Exif segment behind the start of a JPEG, with a comment that must not stay.
func exif(data []byte, orientation uint16) []byte {
	body := []byte("Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00GPS 47.1")
	binary.LittleEndian.PutUint16(body[24:], orientation)
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(body)+2))
	return append(append(append([]byte{}, data[:2]...), append(segment, body...)...), data[2:]...)
}

// bomb is a PNG of one colour, of a few kilobytes.
func bomb(w, h uint32) []byte {
	piece := func(out []byte, kind string, body []byte) []byte {
		out = binary.BigEndian.AppendUint32(out, uint32(len(body)))
		start := len(out)
		out = append(append(out, kind...), body...)
		return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[start:]))
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	out := piece([]byte("\x89PNG\r\n\x1a\n"), "IHDR", append(head, 8, 6, 0, 0, 0))
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(make([]byte, 8<<20))
	_ = z.Close()
	return piece(piece(out, "IDAT", packed.Bytes()), "IEND", nil)
}

func decoded(t *testing.T, p *Picture) image.Image {
	t.Helper()
	m, kind, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil {
		t.Fatal(err)
	}
	if "image/"+kind != p.MediaType || m.Bounds().Dx() != p.Width || m.Bounds().Dy() != p.Height {
		t.Errorf("%s of %v is reported as %s of %d × %d", kind, m.Bounds(), p.MediaType, p.Width, p.Height)
	}
	return m
}

// about recognises the colour of a half, despite lossy compression.
func about(c color.Color) string {
	r, g, b, _ := c.RGBA()
	switch {
	case r > 0x9000 && g < 0x7000:
		return "red"
	case b > 0x9000 && g < 0x7000:
		return "blue"
	case g > 0x9000:
		return "green"
	}
	return "?"
}

// free decodes whatever comes.
func free(int64) error { return nil }

func TestPicturesAreReencoded(t *testing.T) {
	file := func(name string) []byte {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for name, c := range map[string]struct {
		data   []byte
		w, h   int
		format string
	}{
		"png":           {asPNG(halves(100, 80)), 100, 80, "image/png"},
		"jpeg":          {asJPEG(halves(100, 80)), 100, 80, "image/jpeg"},
		"gif":           {asGIF(halves(40, 30)), 40, 30, "image/png"},
		"animated gif":  {asGIF(halves(40, 30), image.NewRGBA(image.Rect(0, 0, 40, 30))), 40, 30, "image/png"},
		"webp":          {file("halves.webp"), 100, 80, "image/jpeg"},
		"lossless webp": {file("lossless.webp"), 100, 80, "image/png"},
		"animated webp": {file("animated.webp"), 100, 80, "image/jpeg"},
		"cmyk jpeg":     {file("cmyk.jpg"), 100, 80, "image/jpeg"},
		"one pixel":     {asPNG(halves(1, 1)), 1, 1, "image/png"},
		"large":         {asJPEG(halves(5000, 3000)), 2048, 1228, "image/jpeg"},
		"a line":        {asPNG(halves(20_000, 1)), 2048, 1, "image/png"},
		"16 bits":       {asPNG(image.NewNRGBA64(image.Rect(0, 0, 9, 7))), 9, 7, "image/png"},
	} {
		p, err := NewReader().Read(t.Context(), "a", c.data, free)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.Width != c.w || p.Height != c.h || p.MediaType != c.format {
			t.Errorf("%s: %d × %d %s", name, p.Width, p.Height, p.MediaType)
		}
		m := decoded(t, p)
		if p.Height < 8 {
			continue
		}
		left, right, top := about(m.At(p.Width/4, p.Height/2)), about(m.At(p.Width*3/4, p.Height/2)), about(m.At(p.Width/2, 1))
		if left != "red" || right != "blue" || top != "green" {
			t.Errorf("%s: %s and %s under %s", name, left, right, top)
		}
	}
}

// However a camera was held, the picture is upright, and nothing else of the file stays.
func TestPicturesAreUpright(t *testing.T) {
	for orientation, want := range [][2]string{1: {"top", "left"}, 2: {"top", "right"}, 3: {"bottom", "right"}, 4: {"bottom", "left"},
		5: {"left", "top"}, 6: {"right", "top"}, 7: {"right", "bottom"}, 8: {"left", "bottom"}} {
		if orientation == 0 {
			continue
		}
		p, err := NewReader().Read(t.Context(), "a", exif(asJPEG(halves(64, 32)), uint16(orientation)), free)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(p.Data, []byte("Exif")) || bytes.Contains(p.Data, []byte("GPS")) {
			t.Errorf("orientation %d: what the file said beside the picture is kept", orientation)
		}
		m := decoded(t, p)
		edges := map[string]image.Point{"top": {p.Width / 2, 0}, "bottom": {p.Width / 2, p.Height - 1}, "left": {0, p.Height / 2}, "right": {p.Width - 1, p.Height / 2}}
		green, red := "", ""
		for edge, at := range edges {
			switch about(m.At(at.X, at.Y)) {
			case "green":
				green = edge
			case "red":
				if opposite := map[string]string{"top": "bottom", "bottom": "top", "left": "right", "right": "left"}[edge]; about(m.At(edges[opposite].X, edges[opposite].Y)) == "blue" {
					red = edge
				}
			}
		}
		if green != want[0] || red != want[1] {
			t.Errorf("orientation %d: green is %s and red %s, want %v", orientation, green, red, want)
		}
	}
}

func TestWhatIsNoPictureIsRefused(t *testing.T) {
	whole := asJPEG(halves(300, 200))
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"a bomb":             {bomb(50_000, 50_000), ErrTooMany},
		"100 megapixels":     {bomb(10_000, 10_000), ErrTooMany},
		"long and thin":      {bomb(40_000_000, 1), ErrTooMany},
		"a png that is less": {bomb(5000, 5000), ErrDamaged},
		"a truncated jpeg":   {whole[:len(whole)/2], ErrDamaged},
		"a truncated png":    {asPNG(halves(300, 200))[:200], ErrDamaged},
		"a truncated gif":    {asGIF(halves(300, 200))[:40], ErrDamaged},
		"a head and no more": {[]byte("\x89PNG\r\n\x1a\n"), ErrDamaged},
		"a riff and no more": {[]byte("RIFF\x04\x00\x00\x00WEBP"), ErrDamaged},
		"no pixels":          {bomb(0, 0), ErrDamaged},
		"something else":     {[]byte("<svg/>"), ErrDamaged},
	} {
		if _, err := NewReader().Read(t.Context(), "a", c.data, free); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// A decompression bomb is recognised by its header: hardly any memory is used for it.
func TestBombsTakeNoMemory(t *testing.T) {
	data := bomb(50_000, 50_000)
	if len(data) > 10<<10 {
		t.Fatalf("the bomb has %d bytes", len(data))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _ = NewReader().Read(t.Context(), "a", data, free)
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<20 {
		t.Errorf("%d bytes were taken for a bomb", taken)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(asPNG(halves(8, 8)))
	f.Add(exif(asJPEG(halves(8, 8)), 6))
	f.Add(asGIF(halves(8, 8), halves(8, 8)))
	f.Add(bomb(50_000, 50_000))
	for _, name := range []string{"halves.webp", "lossless.webp", "animated.webp", "cmyk.jpg"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := NewReader().Read(t.Context(), "a", data, free)
		if err != nil {
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrTooMany) {
				t.Errorf("an error without a name: %v", err)
			}
			return
		}
		if p.Width < 1 || p.Height < 1 || p.Width > MaxSide || p.Height > MaxSide {
			t.Errorf("%d × %d", p.Width, p.Height)
		}
		if _, _, err := image.Decode(bytes.NewReader(p.Data)); err != nil {
			t.Error(err)
		}
	})
}
