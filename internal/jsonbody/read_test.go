package jsonbody

import (
	"bytes"
	"encoding/json"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

func TestWhatIsRead(t *testing.T) {
	for text, want := range map[string]any{
		` null `: nil, "true": true, "[false]": []any{false}, `""`: "", "{}": map[string]any{}, "[ ]": []any{},
		`-1.5e+3`: json.Number("-1.5e+3"),
		`{"a" : [1 , {"b":"\u00e9\n\"\\\/\b\f\r\t"}] , "":0}`: map[string]any{
			"a": []any{json.Number("1"), map[string]any{"b": "é\n\"\\/\b\f\r\t"}}, "": json.Number("0")},
		`"\ud83d\ude00\uffff"`:   "😀\uffff",
		`{"a\u002fb":"}],\" :"}`: map[string]any{"a/b": `}]," :`},
	} {
		got, mistakes, err := Read([]byte(text), Request)
		if err != nil || len(mistakes.List) != 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %#v %v %v", text, got, mistakes, err)
		}
	}
}

func TestWhatIsRefused(t *testing.T) {
	deep := func(n int) string { return strings.Repeat(`{"a":[`, n/2) + strings.Repeat("]}", n/2) }
	for text, want := range map[string]Reason{
		"": Malformed, "{": Malformed, "{} 1": Malformed, "\xff": Malformed, "\ufeff{}": Malformed, "[1,]": Malformed, "01": Malformed,
		`{"a":1,"a":1}`: Repeated, `[{"b":{"a":1,"\u0061":2}}]`: Repeated,
		deep(MaxDepth + 2): TooDeep, strings.Repeat("[", 100_000): TooDeep,
		"[" + strings.Repeat("0,", MaxValues) + "0]": TooLarge,
		`"` + strings.Repeat("a", MaxBody) + `"`:     TooLarge,
	} {
		_, _, err := Read([]byte(text), Request)
		if refused, ok := err.(*Error); !ok || refused.Reason != want || len(refused.Detail) > 1000 {
			t.Errorf("%.40q: %v", text, err)
		}
	}
	if _, _, err := Read([]byte(deep(MaxDepth)), Request); err != nil {
		t.Errorf("as deep as may be: %v", err)
	}
}

func TestWhichErrorsAreReported(t *testing.T) {
	long := strings.Repeat("é", MaxName/2+1)
	for text, want := range map[string][]Mistake{
		`"\u0000"`:               {{"", "nul", "Text must not contain the character NUL."}},
		`{"a/~b":[0,"\ud800x"]}`: {{"/a~1~0b/1", "lone_surrogate", "Text must not contain half of a surrogate pair."}},
		`{"x":{"\udc00":1},"y":"\ud800\u0041"}`: {
			{"/x/\ufffd", "lone_surrogate", "Text must not contain half of a surrogate pair."},
			{"/y", "lone_surrogate", "Text must not contain half of a surrogate pair."},
		},
		`{"` + long + `":1}`: {{"/" + strings.Repeat("é", MaxShownName-1) + "…", "too_long", "A name may have at most 1000 bytes."}},
	} {
		_, mistakes, err := Read([]byte(text), Request)
		if err != nil || !reflect.DeepEqual(mistakes.List, want) {
			t.Errorf("%.40q: %v %v", text, mistakes, err)
		}
	}
	_, mistakes, err := Read([]byte("["+strings.Repeat(`"\u0000",`, 100)+"0]"), Request)
	if err != nil || !mistakes.Full() || len(mistakes.List) != MaxMistakes || mistakes.List[MaxMistakes-1].Pointer != "/19" {
		t.Errorf("a hundred mistakes: %v %v", mistakes, err)
	}
}

// TestWhatAModelMayWrite: the last of two names counts, and invalid text is replaced.
func TestWhatAModelMayWrite(t *testing.T) {
	got, mistakes, err := Read([]byte(`{"a":1,"a":"\u0000\ud800"}`), paramLimits)
	if err != nil || len(mistakes.List) != 0 || !mistakes.Replaced || !reflect.DeepEqual(got, map[string]any{"a": "\ufffd\ufffd"}) {
		t.Errorf("%#v %v %v", got, mistakes, err)
	}
}

func TestPointersStayShort(t *testing.T) {
	var p Path
	for range MaxDepth {
		p.Name(strings.Repeat("é~/", 400))
	}
	if got := p.String(); len(got) > maxPointer || !strings.HasSuffix(got, "…") || strings.ToValidUTF8(got, "") != got {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

// FuzzRead looks for a text that is read otherwise than encoding/json reads it, or whose
// mistakes or memory are out of proportion to its size.
func FuzzRead(f *testing.F) {
	for _, text := range []string{`{"a":[1,"\u0000",null]}`, `"\ud83d\ude00"`, `{"a":1,"a":2}`, "[[[[0]]]]", "-0.0e-0", `{"\ud800":""}`, "\xff", `"\"\\`,
		" [1 , 2 ]\n", "[1 2]", "[1,]", "{,}", `{"a"}`, `{"a":1,}`, `{"a" 1}`, `{1:2}`, "01", "1.", "1.e1", "1e", "-", "+1", ".5", "1E+07", "tru", "nul",
		`"\x"`, `"\u12g4"`, `"\u00`, "\"a\tb\"", "\"12345678\x01\"", `"1234567\"`, "1 2", "[]]", "{}x", strings.Repeat("[", 65), strings.Repeat("[", 64) + strings.Repeat("]", 64),
		strings.Repeat("[", 65) + "}", `{"a":1,"a":2`, "\x00", `{"a":"\u0000",`, `["\ud83d", "\ud83d\ude0", 0]`, "[" + strings.Repeat(`"\u0000",`, 25) + "0", "\v1", "[1]\f", "\u00851"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, mistakes, err := Read(text, Request)
		runtime.ReadMemStats(&after)
		// Others (the fuzzing itself) allocate meanwhile: the constant is theirs too.
		if used := after.TotalAlloc - before.TotalAlloc; used > uint64(20*len(text)+16<<20) {
			t.Errorf("%d bytes of memory for %d", used, len(text))
		}
		for _, rules := range []Rules{Request, paramLimits} {
			got, mistakes, err := Read(text, rules)
			want, reported, refused := slowRead(text, rules)
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(mistakes, reported) || !reflect.DeepEqual(err, refused) {
				t.Errorf("%#v %v %v, and in three passes %#v %v %v", got, mistakes, err, want, reported, refused)
			}
		}
		if err != nil {
			if length := len(err.Error()); length > 1000 {
				t.Errorf("the error has %d bytes", length)
			}
			return
		}
		if report, _ := json.Marshal(mistakes.List); len(report) > 64<<10 {
			t.Errorf("%d bytes of mistakes", len(report))
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var want any
		if err := decoder.Decode(&want); err != nil {
			t.Fatalf("read, and encoding/json says %v", err)
		}
		if len(mistakes.List) == 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%#v is not %#v", got, want)
		}
	})
}

// BenchmarkRead shows the line: the time for each byte is the same at every size.
func BenchmarkRead(b *testing.B) {
	list := func(item string, size int) string {
		return "[" + strings.Repeat(item+",", size/(len(item)+1)) + item + "]"
	}
	shapes := map[string]func(size int) string{
		"flat": func(size int) string { return list(`"`+strings.Repeat("a", 98)+`"`, size) },
		"nested": func(size int) string {
			return list(strings.Repeat("[", 60)+`"`+strings.Repeat("a", 4000)+`"`+strings.Repeat("]", 60), size)
		},
		"long name": func(size int) string {
			return `{"` + strings.Repeat("k", size/2) + `":` + list(`"`+strings.Repeat("a", 98)+`"`, size/2) + "}"
		},
		"mistakes": func(size int) string { return list(`"`+strings.Repeat("a", 92)+`\u0000"`, size) },
	}
	for name, shape := range shapes {
		for _, size := range []int{16 << 10, 64 << 10, 256 << 10, 1000 << 10} {
			text := []byte(shape(size))
			b.Run(name+"/"+strconv.Itoa(size>>10)+"KiB", func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					if _, _, err := Read(text, Request); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestEncodeGiven: what is empty is left out, the order is that of the struct, and texts keep their characters.
func TestEncodeGiven(t *testing.T) {
	type own struct {
		Name string `json:"name,omitempty"`
		Note string `json:"note"`
	}
	got := EncodeGiven(struct {
		ID string `json:"id"`
		own
		Count int             `json:"count"`
		Raw   json.RawMessage `json:"raw"`
	}{"x", own{Name: "<é>"}, 0, json.RawMessage(`{"a": 1.0}`)})
	if string(got) != `{"id":"x","name":"<é>","raw":{"a":1.0}}` {
		t.Errorf("%s", got)
	}
}
