package permission_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/acptest"
	"github.com/acpharness/acpharness/acp/permission"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// offered is a list of options by id and kind, in order.
func offered(idsAndKinds ...string) []acp.PermissionOption {
	var options []acp.PermissionOption
	for i := 0; i < len(idsAndKinds); i += 2 {
		options = append(options, acp.PermissionOption{
			ID: idsAndKinds[i], Name: "Yes, allow", Kind: acp.PermissionKind(idsAndKinds[i+1]),
		})
	}
	return options
}

// cancelled is the id of no option.
const cancelled = ""

// optionSets are sets of options with the ids that say yes once and no.
var optionSets = []struct {
	name    string
	options []acp.PermissionOption
	yes, no string // yes is equal to no where the options leave a doubt
}{
	{name: "the usual set", options: offered("opt-7", "allow_once", "opt-3", "allow_always", "opt-9", "reject_once"), yes: "opt-7", no: "opt-9"},
	{name: "ids unlike kinds, avante-corp/avante.nvim#2886", options: offered("approved", "allow_once", "abort", "reject_once"), yes: "approved", no: "abort"},
	{
		name:    "ids that lie, nexu-io/open-design#6135",
		options: offered("deny_always", "allow_once", "allow_once", "reject_once"),
		yes:     "deny_always", no: "allow_once",
	},
	{
		name:    "a question with four answers, getpaseo/paseo#1854",
		options: offered("a", "allow_once", "b", "allow_once", "c", "allow_once", "d", "allow_once"),
		yes:     cancelled, no: cancelled,
	},
	{
		name:    "a question that can be declined, getpaseo/paseo#1854",
		options: offered("a", "allow_once", "b", "allow_once", "skip", "reject_once"),
		yes:     "skip", no: "skip",
	},
	{
		name:    "a fifth kind, esengine/DeepSeek-Reasonix#5775",
		options: offered("p", "allow_persistent", "y", "allow_once", "n", "reject_once"),
		yes:     "y", no: "n",
	},
	{name: "unknown kinds only", options: offered("p", "allow_persistent", "q", "deny"), yes: cancelled, no: cancelled},
	{name: "no kind", options: offered("allow_once", "", "reject_once", ""), yes: cancelled, no: cancelled},
	{name: "kinds in another case", options: offered("a", "ALLOW_ONCE", "r", "Reject_Once"), yes: cancelled, no: cancelled},
	{name: "always is never said", options: offered("always", "allow_always", "n", "reject_once"), yes: "n", no: "n"},
	{name: "nothing to say no with", options: offered("y", "allow_once"), yes: "y", no: cancelled},
	{name: "no for ever is better than the end of the turn, hawkingrei/agenthub#555", options: offered("y", "allow_once", "never", "reject_always"), yes: "y", no: "never"},
	{name: "no once before no for ever", options: offered("never", "reject_always", "n", "reject_once", "y", "allow_once"), yes: "y", no: "n"},
	{name: "two ways to say no", options: offered("n1", "reject_once", "n2", "reject_once", "y", "allow_once"), yes: "y", no: "n1"},
	{name: "no options", options: nil, yes: cancelled, no: cancelled},
	{name: "an id twice, of one kind", options: offered("x", "allow_once", "x", "allow_once", "n", "reject_once"), yes: "n", no: "n"},
	{
		name:    "an id for yes and no says neither, esengine/DeepSeek-Reasonix#5775",
		options: offered("x", "allow_once", "x", "reject_once"),
		yes:     cancelled, no: cancelled,
	},
	{name: "the id of yes also allows for ever", options: offered("x", "allow_once", "x", "allow_always", "n", "reject_once"), yes: "n", no: "n"},
	{name: "two kinds of no under one id", options: offered("x", "reject_once", "x", "reject_always", "y", "allow_once"), yes: "y", no: "x"},
	{name: "a clear no beside an unclear one", options: offered("x", "reject_once", "x", "allow_once", "n", "reject_always"), yes: "n", no: "n"},
	{name: "without an id", options: offered("", "allow_once", "", "reject_once"), yes: cancelled, no: cancelled},
}

// toolKinds are kinds of tools with what AllowReads says to them.
var toolKinds = map[acp.ToolKind]bool{
	"read": true, "search": true,
	"edit": false, "delete": false, "move": false, "execute": false, "think": false, "fetch": false, "switch_mode": false,
	"other": false, "": false, "Read": false, "read_all": false,
}

func TestPolicies(t *testing.T) {
	t.Parallel()
	for _, set := range optionSets {
		t.Run(set.name, func(t *testing.T) {
			t.Parallel()
			for kind, reads := range toolKinds {
				for policy, yes := range map[permission.Policy]bool{
					permission.Reject: false, permission.AllowReads: reads, permission.Allow: true,
					"": false, "always": false, // what is no policy allows nothing
				} {
					want := set.no
					if yes {
						want = set.yes
					}
					outcome, err := policy.RequestPermission(t.Context(), &acp.PermissionRequest{
						ToolCall: acp.ToolCall{ID: "1", Kind: kind}, Options: set.options,
					})
					require.NoError(t, err)
					assert.Equal(t, want, outcome.OptionID, "policy %q, tool kind %q", policy, kind)
				}
			}
		})
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, p := range []permission.Policy{permission.Reject, permission.AllowReads, permission.Allow} {
		got, err := permission.Parse(string(p))
		require.NoError(t, err)
		assert.Equal(t, p, got)
	}
	for _, name := range []string{"", "Allow", "allow ", "allow-all", "yes"} {
		got, err := permission.Parse(name)
		require.Error(t, err, name)
		assert.ErrorContains(t, err, "reject, allow-reads or allow", "the error says what there is")
		assert.Empty(t, got)
	}
}

// TestPolicyOverTheWire is a policy at work as the handler of a client.
func TestPolicyOverTheWire(t *testing.T) {
	t.Parallel()
	for policy, want := range map[permission.Policy]string{
		permission.Reject: "Permission: rejected (reject_once).", permission.AllowReads: "Permission: rejected (reject_once).",
		permission.Allow: "Permission: allowed (allow_once).",
	} {
		agent := acptest.NewAgent(nil)
		t.Cleanup(agent.Close)
		client := acp.NewClient(acp.Implementation{Name: "test", Version: "1"}, &acp.ClientOptions{Permission: policy})
		conn, err := client.Connect(t.Context(), agent)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, conn.Close(context.Background())) })
		session, err := conn.NewSession(t.Context(), t.TempDir(), nil)
		require.NoError(t, err)
		turn, err := session.Prompt(t.Context(), acp.Text("permission"), nil)
		require.NoError(t, err)
		var text string
		for n := range turn.Updates() {
			if chunk, ok := n.Update.(*acp.AgentMessageChunk); ok {
				text += chunk.Content.(*acp.TextContent).Text
			}
		}
		_, err = turn.Wait(t.Context())
		require.NoError(t, err)
		assert.Contains(t, text, want, "policy %q asked about an edit", policy)
	}
}
