package backends_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
)

func TestParseVersion(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{ // empty for unknown
		{"2.21.0", "2.21.0"},
		{" 2.21.0\n", "2.21.0"},
		{"2.21", "2.21.0"},
		{"kiro-cli 2.21.0", "2.21.0"},
		{"kiro-cli 2.10.0\n", "2.10.0"},
		{"kiro-cli-chat 3.0", "3.0.0"},
		{"0.36.0 (commit 7c61e5bb)", "0.36.0"},
		{"2.21.0-rc.1", "2.21.0-rc.1"},
		{"2.21-rc.1", "2.21.0-rc.1"},
		{"2.21.0+build.5", "2.21.0+build.5"},
		{"2.21.0-rc.1+b", "2.21.0-rc.1+b"},
		{"0.0.0", "0.0.0"},
		{"999999999.999999999.999999999", "999999999.999999999.999999999"},

		{"", ""},
		{"   ", ""},
		{"kiro-cli", ""},
		{"kiro-cli unknown", ""},
		{"v", ""},
		{"v2.21.0", ""},
		{"kiro-cli v2.21.0", ""},
		{"v 2.21.0", ""},
		{"2", ""},
		{"2.21.0.7", ""},
		{"02.21.0", ""},
		{"2.021.0", ""},
		{"2.21.0-01", ""},
		{"2.21.0garbage", ""},
		{"garbage2.21.0", ""},
		{"2.21.", ""},
		{".21.0", ""},
		{"2.-1.0", ""},
		{"2.21.0 2.22.0", ""},
		{"a b 2.21.0", ""},
		{"2.21.0 (a) (b)", ""},
		{"(2.21.0)", ""},
		{"^2.21.0", ""},
		{">=2.21.0", ""},
		{"2.x", ""},
		{"*", ""},
		{"1000000000.0.0", ""},
		{"٢.٢١.٠", ""},
		{"2.21.0-", ""},
		{"2.21.0+", ""},
		{"2.21.0\n2.22.0", ""},
		{"2.21.0-" + strings.Repeat("x", 300), ""},
	} {
		v, ok := backends.ParseVersion(tt.text)
		assert.Equal(t, tt.want != "", ok, "%q", tt.text)
		assert.Equal(t, ok, v.Known())
		want := tt.want
		if want == "" {
			want = "unknown"
		}
		assert.Equal(t, want, v.String(), "%q", tt.text)
	}
}

func TestVersionOrder(t *testing.T) {
	t.Parallel()
	var order []backends.Version
	for _, text := range []string{"nonsense", "0.9", "2.20.9", "2.21.0-alpha", "2.21.0-rc.1", "2.21.0-rc.2", "2.21.0", "2.21.1-rc.1", "2.21.1", "2.100.0", "10.0"} {
		v, _ := backends.ParseVersion(text)
		order = append(order, v)
	}
	for i, a := range order {
		for j, b := range order {
			want := map[bool]int{true: 1, false: -1}[i > j]
			if i == j {
				want = 0
			}
			assert.Equal(t, want, a.Compare(b), "%s, %s", a, b)
			assert.Equal(t, i >= j && i > 0 && j > 0, a.AtLeast(b), "%s at least %s: unknown is at least nothing, and nothing is at least unknown", a, b)
		}
	}
	one, _ := backends.ParseVersion("2.21.0+a")
	other, _ := backends.ParseVersion("2.21.0+b")
	assert.Zero(t, one.Compare(other), "build metadata does not count")
}

// A version is one only under a name that the descriptor knows.
func TestVersionOf(t *testing.T) {
	t.Parallel()
	kiro, err := backends.Lookup("kiro")
	require.NoError(t, err)
	for _, tt := range []struct{ name, version, want string }{
		{"Kiro CLI Agent", "2.21.0", "2.21.0"},
		{"kiro cli agent", "2.21.0", "unknown"},
		{"Kiro CLI Agent ", "2.21.0", "unknown"},
		{"", "2.21.0", "unknown"},
		{"Another Agent", "2.21.0", "unknown"},
		{"Kiro CLI Agent", "", "unknown"},
		{"Kiro CLI Agent", "v2.21.0", "unknown"},
	} {
		assert.Equal(t, tt.want, kiro.VersionOf(tt.name, tt.version).String(), "%+v", tt)
	}
}

// FuzzParseVersion: what is taken for a version is one, and says the same when it is read again.
func FuzzParseVersion(f *testing.F) {
	for _, text := range []string{"2.21.0", "kiro-cli 2.21", "0.36.0 (commit 7c61e5bb)", "1.2.3-rc.1+b", "v1.2.3", "1.2.3.4", "01.2.3", "1.2.3-00", "\xff1.2.3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, ok := backends.ParseVersion(text)
		assert.Equal(t, ok, v.Known())
		if !ok {
			return
		}
		again, ok := backends.ParseVersion(v.String())
		assert.True(t, ok, "%q gave %s", text, v)
		assert.Zero(t, v.Compare(again))
		assert.True(t, v.AtLeast(again))
	})
}
