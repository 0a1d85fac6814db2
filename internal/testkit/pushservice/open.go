package pushservice

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
)

// open decrypts one record of aes128gcm (RFC 8188) with the keys of a subscription (RFC 8291).
func (b *Browser) open(body []byte) ([]byte, error) {
	if len(body) < 21 || len(body) < 21+int(body[20]) {
		return nil, errors.New("there is no header")
	}
	salt, size, sender, record := body[:16], binary.BigEndian.Uint32(body[16:20]), body[21:21+int(body[20])], body[21+int(body[20]):]
	if int(size) < len(record) {
		return nil, errors.New("it is more than one record")
	}
	from, err := ecdh.P256().NewPublicKey(sender)
	if err != nil {
		return nil, err
	}
	shared, err := b.key.ECDH(from)
	if err != nil {
		return nil, err
	}
	info := bytes.Join([][]byte{[]byte("WebPush: info\x00"), b.key.PublicKey().Bytes(), sender, {1}}, nil)
	extracted := mac(salt, mac(mac(b.auth, shared), info))
	key := mac(extracted, []byte("Content-Encoding: aes128gcm\x00\x01"))[:16]
	nonce := mac(extracted, []byte("Content-Encoding: nonce\x00\x01"))[:12]
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	text, err := gcm.Open(nil, nonce, record, nil)
	if err != nil {
		return nil, err
	}
	text = bytes.TrimRight(text, "\x00")
	if len(text) == 0 || text[len(text)-1] != 2 {
		return nil, errors.New("the record is not the last one")
	}
	return text[:len(text)-1], nil
}

func mac(key, of []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(of)
	return h.Sum(nil)
}
