package repository

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"sync"
)

// dictionary is what the events of a log look like, those that every round has at its
// end: what stands there costs a packed row next to nothing. What was packed with it can
// be unpacked with nothing else, so it is never changed; another one gets another mark.
//
//go:embed events.dict
var dictionary []byte

const (
	// packMark is the first byte of what is packed with dictionary.
	packMark = 1
	// between stands between the events of a row. JSON has it nowhere.
	between = 0x1e
)

var (
	errHasSeparator = errors.New("the event is not JSON: it has a record separator in it")
	errOtherMark    = errors.New("it was packed by another version")
)

// packers and unpackers are used again: each has tables that are larger than any row.
var (
	packers = sync.Pool{New: func() any {
		w, err := flate.NewWriterDict(io.Discard, 2, dictionary)
		if err != nil {
			panic("repository: flate has no such level: " + err.Error())
		}
		return w
	}}
	unpackers = sync.Pool{New: func() any { return flate.NewReaderDict(bytes.NewReader(nil), dictionary) }}
)

// pack makes one value of the data of events, a seventh of its length in a usual round.
func pack(events [][]byte) ([]byte, error) {
	for _, data := range events {
		if bytes.IndexByte(data, between) >= 0 {
			return nil, errHasSeparator
		}
	}
	w, ok := packers.Get().(*flate.Writer)
	if !ok {
		panic("repository: the pool of packers holds something else")
	}
	defer packers.Put(w)
	var out bytes.Buffer
	out.Grow(512)
	out.WriteByte(packMark)
	w.Reset(&out)
	for i, data := range events {
		if i > 0 {
			if _, err := w.Write([]byte{between}); err != nil {
				return nil, fmt.Errorf("pack events: %w", err)
			}
		}
		if _, err := w.Write(data); err != nil {
			return nil, fmt.Errorf("pack events: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("pack events: %w", err)
	}
	return out.Bytes(), nil
}

// unpack gives back what was packed, byte for byte.
func unpack(data []byte) ([][]byte, error) {
	if len(data) == 0 || data[0] != packMark {
		return nil, errOtherMark
	}
	r, ok := unpackers.Get().(io.Reader)
	resetter, can := r.(flate.Resetter)
	if !ok || !can {
		panic("repository: the pool of unpackers holds something else")
	}
	defer unpackers.Put(r)
	if err := resetter.Reset(bytes.NewReader(data[1:]), dictionary); err != nil {
		return nil, fmt.Errorf("unpack events: %w", err)
	}
	var out bytes.Buffer
	out.Grow(8 * len(data))
	if _, err := out.ReadFrom(r); err != nil {
		return nil, fmt.Errorf("unpack events: %w", err)
	}
	return bytes.Split(out.Bytes(), []byte{between}), nil
}
