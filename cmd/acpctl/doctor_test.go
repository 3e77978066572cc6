package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/internal/proc"
)

// introducedAs is what doctor says of a backend that was started and said this of itself.
func introducedAs(t *testing.T, id, name, version string) *checkup {
	t.Helper()
	d, err := backends.Lookup(id)
	require.NoError(t, err)
	c := &checkup{Subject: id, HotReload: reloadBefore(&d)}
	c.introduced(&d, acp.Implementation{Name: name, Version: version})
	return c
}

func kinds(c *checkup) []issueKind {
	var list []issueKind
	for _, i := range c.issues {
		list = append(list, i.Kind)
	}
	return list
}

func TestVersionAgainstTheFloor(t *testing.T) {
	t.Parallel()
	const kiro = "Kiro CLI Agent"
	for _, test := range []struct {
		name, version         string
		nameKnown, isVersion  answer
		reload                string
		kind                  issueKind
		problem, whatToDoNext string
	}{
		{kiro, "2.21.0", answerYes, answerYes, "yes from 2.21.0", "", "", ""},
		{kiro, "2.20.9", answerYes, answerYes, "below the floor 2.21.0", issueBelowFloor, "version 2.20.9 is below 2.21.0", "upgrade it, such as with: curl"},
		{kiro, "2.21.0-rc.1", answerYes, answerYes, "below the floor 2.21.0", issueBelowFloor, "each takes a new process", "upgrade it"},
		{kiro, "99.0.0", answerYes, answerYes, "unverified above 2.21.0", "", "", ""},
		{kiro, "v2", answerYes, answerNo, "unknown", issueVersionUnknown, `"v2", is none`, "upgrade it"},
		{kiro, "", answerYes, answerNo, "unknown", issueVersionUnknown, `"", is none`, "upgrade it"},
		{"kiro", "2.21.0", answerNo, answerNo, "unknown", issueNameUnknown, `calls itself "kiro", which its descriptor does not know (Kiro CLI Agent)`, "make sure that this is Kiro CLI"},
	} {
		c := introducedAs(t, "kiro", test.name, test.version)
		assert.Equal(t, test.nameKnown, c.NameKnown, "%+v", test)
		assert.Equal(t, test.isVersion, c.VersionKnown, "%+v", test)
		assert.Equal(t, test.reload, c.HotReload.String(), "%+v", test)
		if test.kind == "" {
			assert.Empty(t, c.issues, "%+v", test)
			continue
		}
		require.Equal(t, []issueKind{test.kind}, kinds(c), "%+v", test)
		assert.Contains(t, c.issues[0].Problem, test.problem)
		assert.Contains(t, c.issues[0].Next, test.whatToDoNext)
	}
}

func TestAgentWithoutAFloor(t *testing.T) {
	t.Parallel()
	// Nothing is lost by a version that is none where hot reload is not granted anyway.
	c := introducedAs(t, "pi", "pi-acp", "no version")
	assert.Equal(t, reloadNotGranted, c.HotReload.State)
	assert.Empty(t, c.issues)
	// Nobody has said what cursor calls itself.
	c = introducedAs(t, "cursor", "anything", "1.0.0")
	assert.Equal(t, answerUnknown, c.NameKnown)
	assert.Empty(t, c.issues)
}

// TestWhoRefusesSessions holds the rule to what the descriptors say.
func TestWhoRefusesSessions(t *testing.T) {
	t.Parallel()
	var noted []string
	for d := range backends.All() {
		if slices.ContainsFunc(d.Notes, func(note string) bool { return strings.Contains(note, "session/new fails with -32000") }) {
			noted = append(noted, d.ID)
		}
	}
	assert.ElementsMatch(t, noted, refuseSessions())
}

func TestWhoIsSignedIn(t *testing.T) {
	t.Parallel()
	wanted := &acp.Error{Code: acp.CodeAuthRequired, Message: "sign in"}
	other := &acp.Error{Code: -32603, Message: "broken"}
	web := []acp.AuthMethod{{ID: "web"}}
	for _, test := range []struct {
		id    string
		err   error
		state acp.AuthState
		want  answer
		next  string
	}{
		{"gemini", nil, acp.AuthUnknown, answerYes, ""},
		{"gemini", nil, acp.AuthNo, answerNo, "acpctl login gemini"},
		{"gemini", other, acp.AuthUnknown, answerUnknown, ""},
		{"claude", nil, acp.AuthUnknown, answerUnknown, ""},
		{"claude", nil, acp.AuthYes, answerYes, ""},
		{"claude", wanted, acp.AuthUnknown, answerNo, "acpctl login claude"},
		{"opencode", nil, acp.AuthNotRequired, answerNotRequired, ""},
		{"builtin", nil, acp.AuthUnknown, answerNotRequired, ""},
	} {
		d, err := backends.Lookup(test.id)
		require.NoError(t, err)
		c := &checkup{Subject: test.id, SignedIn: answerUnknown}
		c.signIn(&d, test.err, test.state, web)
		assert.Equal(t, test.want, c.SignedIn, "%+v", test)
		if test.next == "" {
			assert.Empty(t, c.issues, "%+v", test)
			continue
		}
		require.Equal(t, []issueKind{issueSignIn}, kinds(c), "%+v", test)
		assert.Equal(t, test.next, c.issues[0].Next)
	}
}

func TestLeftoversAreAnIssue(t *testing.T) {
	t.Parallel()
	assert.Empty(t, leftovers(nil, nil))
	assert.Empty(t, leftovers([]proc.TreeEntry{{Status: proc.TreeGone}}, nil))
	found := leftovers([]proc.TreeEntry{{Status: proc.TreeLeftover}, {Status: proc.TreeLeftover}}, nil)
	require.Len(t, found, 1)
	assert.Contains(t, found[0].Problem, "process trees: 2")
	assert.Contains(t, found[0].Next, "acpctl reap")
}
