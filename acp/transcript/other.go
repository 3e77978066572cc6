package transcript

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/acpharness/acpharness/acp"
)

// maxKinds bounds the kinds that are told apart: an agent can make them up.
const maxKinds = 32

// Other tells of the updates of one kind that made no entry and changed none: the state of the session, such as its mode
// and usage, kinds that this version does not know, tool calls without an id and chunks without content.
type Other struct {
	Kind   acp.UpdateKind // empty for all kinds beyond the first 32
	Count  int
	Update acp.Update      // the last of them; nil if its raw bytes are longer than Options.MaxText
	Raw    json.RawMessage // of the same update
}

// Others returns what there is of each kind, in the order in which they came first.
func (t *Transcript) Others() []Other {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.others)
}

// other counts an update that makes no entry.
func (t *Transcript) other(n *acp.SessionNotification) Change {
	var kind acp.UpdateKind
	if n.Update != nil {
		kind = n.Update.UpdateKind()
	}
	find := func() int { return slices.IndexFunc(t.others, func(o Other) bool { return o.Kind == kind }) }
	i := find()
	if i < 0 && (len(t.others) >= maxKinds || len(kind) > t.maxText) {
		kind = ""
		i = find()
	}
	if i < 0 {
		t.others = append(t.others, Other{Kind: kind})
		i = len(t.others) - 1
	}
	o := &t.others[i]
	o.Count++
	o.Update, o.Raw = nil, nil
	if len(n.Raw) <= t.maxText {
		o.Update, o.Raw = n.Update, bytes.Clone(n.Raw)
		if u, ok := n.Update.(*acp.Unknown); ok {
			o.Update = &acp.Unknown{Kind: u.Kind, Raw: o.Raw}
		}
	}
	return Change{}
}
