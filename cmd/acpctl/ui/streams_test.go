package ui

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestWantsColor(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		tty  bool
		env  map[string]string
		want bool
	}{
		{name: "terminal", tty: true, env: map[string]string{"TERM": "xterm"}, want: true},
		{name: "terminal of no known kind", tty: true, want: true},
		{name: "pipe", env: map[string]string{"TERM": "xterm"}},
		{name: "NO_COLOR", tty: true, env: map[string]string{"TERM": "xterm", "NO_COLOR": "1"}},
		{name: "NO_COLOR of any value", tty: true, env: map[string]string{"NO_COLOR": "0"}},
		{name: "NO_COLOR empty says nothing", tty: true, env: map[string]string{"NO_COLOR": ""}, want: true},
		{name: "forced", env: map[string]string{"CLICOLOR_FORCE": "1"}, want: true},
		{name: "forced by 0", env: map[string]string{"CLICOLOR_FORCE": "0"}},
		{name: "NO_COLOR is stronger", env: map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}},
		{name: "dumb terminal", tty: true, env: map[string]string{"TERM": "dumb"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, wantsColor(tc.tty, func(name string) string { return tc.env[name] }))
		})
	}
}

func TestPaint(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "\x1b[31mno\x1b[0m", (&Streams{Color: true}).Paint(Red, "no"))
	assert.Equal(t, "no", (&Streams{}).Paint(Red, "no"))
	assert.Empty(t, (&Streams{Color: true}).Paint(Red, ""))
}

// TestPlain covers what an agent's text could do to a terminal (kagan#148).
func TestPlain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                 "",
		"a\tb\nc":                          "a\tb\nc",
		"a\r\nb":                           "a\nb",
		"\x1b[2J\x1b[31mred\x1b[0m":        "[2J[31mred[0m",
		"\x1b]0;title\x07x":                "]0;titlex",
		"a\u009b31mb":                      "a31mb",
		"a\x7f\x08b":                       "ab",
		"│ thinking │ – 你好 🎉":              "│ thinking │ – 你好 🎉",
		string([]byte{'a', 0x9b, 'b'}):     "a\ufffdb",
		"line\u2028separator stays a rune": "line\u2028separator stays a rune",
	} {
		assert.Equal(t, want, Plain(text), "%q", text)
		assert.True(t, utf8.ValidString(Plain(text)))
	}
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		most int
		want string
	}{
		{"  a \n\tb\r\n", 0, "a b"},
		{"abcdef", 0, "abcdef"},
		{"abcdef", 6, "abcdef"},
		{"abcdef", 5, "abcd…"},
		{"äöüäöü", 3, "äö…"},
		{"a\x1b[31mb", 4, "a[3…"},
		{"", 3, ""},
	} {
		assert.Equal(t, tc.want, OneLine(tc.text, tc.most), "%q in %d", tc.text, tc.most)
	}
}
