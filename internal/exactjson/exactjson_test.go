package exactjson

import (
	"encoding/json"
	"testing"
)

type token struct {
	Audience string          `json:"aud"`
	Kept     json.RawMessage `json:"kept"`
	Inner    struct {
		Issuer string `json:"iss"`
	} `json:"inner"`
}

func TestNamesAreExact(t *testing.T) {
	for text, want := range map[string]string{
		`{"aud":"ours"}`:                                       "ours",
		`{"aud":"ours","AUD":"theirs"}`:                        "ours",
		`{"AUD":"theirs","aud":"ours"}`:                        "ours",
		`{"Aud":"theirs"}`:                                     "",
		`{"aud":"ours","inner":{"ISS":"theirs"}}`:              "ours",
		"{\"a\\u0075d\":\"ours\"}":                             "ours", // an escaped name is the same name
		"{\"ins\":1,\"au\u0131d\":\"x\",\"in\u017fner\":null}": "",     // letters that fold to ASCII
	} {
		for name, read := range map[string]func([]byte, any) error{"Unmarshal": Unmarshal, "Lenient": Lenient} {
			var got token
			if err := read([]byte(text), &got); err != nil || got.Audience != want || got.Inner.Issuer != "" {
				t.Errorf("%s of %s: %+v %v", name, text, got, err)
			}
		}
	}
}

func TestRepeatedNames(t *testing.T) {
	for text, last := range map[string]string{
		`{"aud":"one","aud":"two"}`:              "two",
		`{"aud":"one","a\u0075d":"two"}`:         "two",
		`{"aud":"two","kept":{"x":1,"x":2}}`:     "two",
		`{"aud":"two","other":[{"x":1,"x":2}]}`:  "two",
		`{"aud":"two","inner":{"y":1,"y":null}}`: "two",
	} {
		var got token
		if err := Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("Unmarshal takes %s", text)
		}
		if _, err := Object([]byte(text)); err == nil {
			t.Errorf("Object takes %s", text)
		}
		got = token{}
		if err := Lenient([]byte(text), &got); err != nil || got.Audience != last {
			t.Errorf("Lenient of %s: %+v %v", text, got, err)
		}
	}
}

func TestWhatIsNoText(t *testing.T) {
	for _, text := range []string{``, `{`, `{"aud":"x"} {}`, `{"aud":"x",}`, `{'aud':'x'}`, "\ufeff{}"} {
		if Unmarshal([]byte(text), &token{}) == nil || Lenient([]byte(text), &token{}) == nil {
			t.Errorf("%q is taken", text)
		}
	}
	broken := []byte("{\"aud\":\"\xff\"}")
	var got token
	if Unmarshal(broken, &got) == nil {
		t.Error("bytes that are not UTF-8 are taken")
	}
	if err := Lenient(broken, &got); err != nil || got.Audience != "\ufffd" {
		t.Errorf("%+v %v", got, err)
	}
}

func TestObjectKeepsNumbers(t *testing.T) {
	object, err := Object([]byte(`{"n":12345678901234567890,"N":1.50}`))
	if err != nil || object["n"] != json.Number("12345678901234567890") || object["N"] != json.Number("1.50") {
		t.Errorf("%v %v", object, err)
	}
	if _, err := Object([]byte(`[1]`)); err == nil {
		t.Error("a list is taken for an object")
	}
}

func TestClosed(t *testing.T) {
	var got token
	if err := Closed([]byte(`{"aud":"ours","inner":{"iss":"x"}}`), &got); err != nil || got.Inner.Issuer != "x" {
		t.Errorf("%+v %v", got, err)
	}
	for _, text := range []string{`{"aud":"ours","AUD":"x"}`, `{"other":1}`, `{"inner":{"Iss":"x"}}`, `{"aud":"a","aud":"b"}`} {
		if Closed([]byte(text), &got) == nil {
			t.Errorf("%s is taken", text)
		}
	}
}
