package seal

import (
	"bytes"
	"testing"
)

// The marks of prompts are the same on all nodes with the secret key, and reveal nothing about it.
func TestTheKeyOfMarksComesFromTheSecretKey(t *testing.T) {
	mark := func(keys ...string) []byte {
		raw := make([][]byte, len(keys))
		for i, key := range keys {
			raw[i] = bytes.Repeat([]byte(key), 32)
		}
		s, err := New(raw)
		if err != nil {
			t.Fatal(err)
		}
		return s.Derive("prompt mark")
	}
	if one := mark("a"); len(one) != 32 || !bytes.Equal(one, mark("a")) || !bytes.Equal(one, mark("a", "b")) || bytes.Equal(one, mark("b", "a")) || bytes.Contains(one, []byte("aaaa")) {
		t.Errorf("the key is %x", one)
	}
	if mark() != nil {
		t.Error("there is a key of no key")
	}
}
