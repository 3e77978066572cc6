package backends_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
)

func TestValidateRefuses(t *testing.T) {
	type D = backends.Descriptor
	tests := []struct {
		name  string
		spoil func(*D)
		text  string
	}{
		{"id", func(d *D) { d.ID = "Claude" }, `id or alias "Claude" is not`},
		{"no id", func(d *D) { d.ID = "" }, `id or alias "" is not`},
		{"alias", func(d *D) { d.Aliases = []string{"a b"} }, `id or alias "a b" is not`},
		{"alias is the id", func(d *D) { d.Aliases = []string{d.ID} }, `"claude" is given twice`},
		{"registry id", func(d *D) { d.RegistryID = "A" }, `registry id "A"`},
		{"name", func(d *D) { d.Name = " " }, `the name is blank`},
		{"no agent name", func(d *D) { d.AgentNames = nil }, `no agent name`},
		{"padded agent name", func(d *D) { d.AgentNames = []string{"x "} }, `agent name "x "`},
		{"agent name twice", func(d *D) { d.AgentNames = []string{"x", "x"} }, `agent name "x" is given twice`},
		{"no command", func(d *D) { d.Launch.Command = "" }, `launch command ""`},
		{"built-in with command", func(d *D) { d.Builtin = true }, `the built-in agent has a launch command`},
		{"no literal", func(d *D) { d.ProtocolVersion = "" }, `cannot read protocol version literal`},
		{"bare date", func(d *D) { d.ProtocolVersion = "2025-08-22" }, `cannot read protocol version literal`},
		{"fraction", func(d *D) { d.ProtocolVersion = "1.5" }, `neither`},
		{"negative", func(d *D) { d.ProtocolVersion = "-1" }, `neither`},
		{"too large", func(d *D) { d.ProtocolVersion = "65536" }, `neither`},
		{"object", func(d *D) { d.ProtocolVersion = "{}" }, `neither`},
		{"null", func(d *D) { d.ProtocolVersion = "null" }, `neither`},
		{"empty string", func(d *D) { d.ProtocolVersion = `""` }, `neither`},
		{"sign-in without a method", func(d *D) { d.SignIn = []backends.SignInMethod{{Env: []string{"KEY"}}} }, `the sign-in ""`},
		{"sign-in without variables", func(d *D) { d.SignIn = []backends.SignInMethod{{Method: "m"}} }, `the sign-in "m" does not say which variables it needs`},
		{"sign-in with what is no variable", func(d *D) { d.SignIn = []backends.SignInMethod{{Method: "m", Env: []string{"A B"}}} }, `the sign-in "m"`},
		{"env name", func(d *D) { d.Env.Set = map[string]string{"A=B": "secret"} }, `environment name "A=B"`},
		{"env value", func(d *D) { d.Env.Set = map[string]string{"A": "secret\x00"} }, `the value of environment variable "A"`},
		{"set and scrubbed", func(d *D) {
			d.Env = backends.Environment{Set: map[string]string{"A": "secret"}, Scrub: []string{"A"}}
		}, `"A" is both set and scrubbed`},
		{"scrubbed twice", func(d *D) { d.Env.Scrub = []string{"A", "A"} }, `"A" is scrubbed twice`},
		{"no hint", func(d *D) { d.Install.Hint = "" }, `install hint`},
		{"pinned package", func(d *D) { d.Install.Packages = []string{"@a/b@1"} }, `npm package "@a/b@1"`},
		{"package twice", func(d *D) { d.Install.Packages = []string{"a", "a"} }, `npm package "a" is given twice`},
		{"run without version", func(d *D) { d.Observed.Version = "" }, `the version that was run`},
		{"run without date", func(d *D) { d.Observed.Date = "yesterday" }, `cannot read the date of the run`},
		{"version though not run", func(d *D) { d.Observed.Run = false }, `though nobody has run it`},
		{"not run, no reason", func(d *D) { d.Observed = backends.Observation{} }, `nothing says why`},
		{"blank note", func(d *D) { d.Notes = []string{""} }, `a note is blank`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := backends.Lookup("claude")
			require.NoError(t, err)
			require.NoError(t, d.Validate())
			tt.spoil(&d)
			err = d.Validate()
			require.ErrorContains(t, err, tt.text)
			assert.NotContains(t, err.Error(), "secret")
		})
	}
}

func TestValidateNamesEveryFault(t *testing.T) {
	err := backends.Descriptor{ID: "x"}.Validate()
	require.ErrorContains(t, err, `cannot use backend descriptor "x"`)
	for _, text := range []string{"the name is blank", "no agent name", "launch command", "install hint", "protocol version"} {
		assert.ErrorContains(t, err, text)
	}
}
