package providers

import "io"

// Body is a request's body as a list of pieces that are read one after the other: a
// long history is never copied into one buffer.
type Body struct {
	pieces [][]byte
	Length int64
}

// NewBody makes an empty body with room for n pieces.
func NewBody(n int) *Body { return &Body{pieces: make([][]byte, 0, n)} }

// Add puts a piece at the end. It is not copied.
func (b *Body) Add(piece []byte) {
	b.pieces = append(b.pieces, piece)
	b.Length += int64(len(piece))
}

// Reader reads the body from its start; each try of the request has its own.
func (b *Body) Reader() io.ReadCloser { return &bodyReader{pieces: b.pieces} }

type bodyReader struct {
	pieces [][]byte
	offset int
}

func (r *bodyReader) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) && len(r.pieces) > 0 {
		c := copy(p[n:], r.pieces[0][r.offset:])
		n += c
		r.offset += c
		if r.offset == len(r.pieces[0]) {
			r.pieces, r.offset = r.pieces[1:], 0
		}
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (r *bodyReader) Close() error { return nil }
