package live

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/harness/mcpfile"
)

// TestMCPFileColdStart edits the agents' own files and starts an agent anew after each edit: what the editor writes is what the agent
// reads, and a server that it has disabled is not started.
func TestMCPFileColdStart(t *testing.T) {
	for _, pin := range withMCPFiles(t) {
		t.Run(pin.id, func(t *testing.T) {
			t.Parallel()
			r := newColdRun(t, pin)
			r.makeOdd()
			r.configure(r.all()...)
			r.expect("added", r.start(r.all()...), r.tools(r.all()...))
			r.disabled()
			if !testing.Short() {
				r.narrowed()
				r.commented()
			}
			assert.Empty(t, r.left())
		})
	}
}

// disabled disables a server over each transport; the one that is left is the control. Then it enables them again.
func (r *coldRun) disabled() {
	r.t.Helper()
	ctx, names := r.t.Context(), []string{r.one.Name, r.three.Name}
	before := r.text()
	_, err := r.config.Disable(ctx, names...)
	require.NoError(r.t, err)
	marked := r.text()
	require.NotEqual(r.t, before, marked)
	s := r.start(r.two)
	r.expect("disabled", s, r.tools(r.two))
	assert.Zero(r.t, s.starts[r.one.Name], "it was disabled and started")
	assert.Zero(r.t, s.asked[r.three.Name], "it was disabled and connected to")
	if marked != r.text() { // it keeps more in its file than what it is told
		r.t.Log("it has written to its file")
		require.NoError(r.t, os.WriteFile(r.path(), []byte(marked), 0o600))
	}
	_, err = r.config.Enable(ctx, names...)
	require.NoError(r.t, err)
	assert.Equal(r.t, before, r.text(), "the file is not as it was")
}

// narrowed starts what was enabled, with filters, and without a server that was removed.
func (r *coldRun) narrowed() {
	r.t.Helper()
	what, offered := r.filter()
	_, err := r.config.Remove(r.t.Context(), r.two.Name)
	require.NoError(r.t, err)
	s := r.start(r.one, r.three)
	r.expect("enabled, and "+what, s, offered)
	assert.Zero(r.t, s.starts[r.two.Name], "it was removed and started")
}

// filter narrows the tools of two servers, in both ways if the agent has both. It returns what is to be offered then.
func (r *coldRun) filter() (what string, offered []string) {
	r.t.Helper()
	form := r.descriptor.MCPFiles[0].Filter
	first, second := mcpfile.Filter{Include: []string{"alpha"}}, mcpfile.Filter{Exclude: []string{"beta"}}
	if form.Include == "" {
		first = second
	} else if form.Exclude == "" && form.Switches == "" {
		second = first
	}
	_, err := r.config.SetFilter(r.t.Context(), r.one.Name, first)
	if form == (backends.MCPFilter{}) {
		_, unsupported := errors.AsType[*mcpfile.UnsupportedError](err)
		require.True(r.t, unsupported, "%v", err)
		return "not filtered: it has no filters", r.tools(r.one, r.three)
	}
	require.NoError(r.t, err)
	_, err = r.config.SetFilter(r.t.Context(), r.three.Name, second)
	require.NoError(r.t, err)
	return fmt.Sprintf("filtered by %+v and %+v", first, second), []string{"one alpha", "three alpha"}
}

// commented writes a comment into a file that must not have one, and finds that the agent does not read it then.
func (r *coldRun) commented() {
	r.t.Helper()
	if r.descriptor.MCPFiles[0].Format != backends.MCPJSON {
		return // it has one already
	}
	text := strings.Replace(r.text(), "{", "{\n  // a comment", 1)
	require.NoError(r.t, os.WriteFile(r.path(), []byte(text), 0o600))
	s, err := r.try()
	r.t.Logf("with a comment: started %v, messages %v, error %v, the file is as it was: %t", s.starts, s.asked, err, text == r.text())
	assert.Empty(r.t, s.starts, "it reads comments: then the format is jsonc")
}

// makeOdd makes the file look like one that a person has written, if its format allows that.
func (r *coldRun) makeOdd() {
	r.t.Helper()
	layout := r.descriptor.MCPFiles[0]
	if layout.Format == backends.MCPJSON {
		return
	}
	old, err := os.ReadFile(r.path())
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(filepath.Dir(r.path()), 0o700)
	}
	require.NoError(r.t, err)
	text := strings.TrimSpace(string(old))
	if layout.Format == backends.MCPTOML {
		text = "# Kept by hand.\n\n" + text + "\n\n  [ '" + layout.ServersKey + "' ]   # none yet\n"
	} else { // without a comma at the end of a list: not all agents read that
		rest := "}\n"
		if text != "" {
			rest = "," + text[1:]
		}
		text = "// Kept by hand.\n{ /* none yet */\n\t\"" + layout.ServersKey + "\" :{ // a \"quote\"\n}" + rest
	}
	require.NoError(r.t, os.WriteFile(r.path(), []byte(text), 0o600))
}
