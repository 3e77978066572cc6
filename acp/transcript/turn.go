package transcript

import (
	"reflect"
	"slices"
	"strings"

	"github.com/acpharness/acpharness/acp"
)

// BeginTurn begins a turn with what the user says, which becomes an entry; call it before [acp.Session.Prompt]. If the
// agent repeats the prompt in the turn, that is recognised and no second entry (anomalyco/opencode#22468). A turn that
// was not ended is ended first. It returns what changed.
func (t *Transcript) BeginTurn(content []acp.ContentBlock) []Change {
	t.mu.Lock()
	defer t.mu.Unlock()
	var changes []Change
	if t.turnOpen {
		changes = t.endOpenCalls(EndUnknown)
	}
	t.turn++
	t.turnOpen = true
	t.live.begin()
	t.prompt = prompt{}
	m := &Message{Head: Head{Turn: t.turn, round: t.live.round}, Role: RoleUser, Prompt: true}
	var text strings.Builder
	for _, block := range content {
		if block == nil {
			continue
		}
		m.append(block, t.maxText)
		if c, ok := block.(*acp.TextContent); ok {
			text.WriteString(c.Text)
		} else {
			t.prompt.blocks = append(t.prompt.blocks, block)
		}
	}
	if m.Text == "" && len(m.Blocks) == 0 && m.Cut == 0 {
		return changes
	}
	changes = append(changes, t.add(m))
	t.prompt.index, t.prompt.rest = m.Index, text.String()
	return changes
}

// EndTurn ends the turn with what [acp.Turn.Wait] returned, or with the error of [acp.Session.Prompt] and no result. Tool
// calls that are still open get an End, however the turn went (OpenHands/software-agent-sdk#2868): EndCancelled if it was
// cancelled, otherwise EndUnknown. Text is kept in any case (esengine/DeepSeek-Reasonix#3509). It returns what changed.
//
// Updates that are added later are welcome: they go on where the turn left off.
func (t *Transcript) EndTurn(result *acp.TurnResult, err error) []Change {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turnOpen = false
	end := EndUnknown
	if result != nil && (result.CancelRequested || err == nil && result.StopReason == acp.StopCancelled) {
		end = EndCancelled
	}
	return t.endOpenCalls(end)
}

func (t *Transcript) endOpenCalls(end End) []Change {
	var changes []Change
	for _, e := range slices.Clone(t.entries) {
		if call, ok := e.(*ToolCall); ok && call.Open() {
			next := *call
			next.End = end
			changes = append(changes, t.replace(&next))
		}
	}
	return changes
}

// prompt is what an echo of the prompt is recognised by.
type prompt struct {
	index  uint64 // of the entry, 0 for none
	rest   string // text that was not repeated yet
	blocks []acp.ContentBlock
}

// repeats reports whether content goes on with the prompt. Agents do not agree on the space between blocks.
func (p *prompt) repeats(content acp.ContentBlock) bool {
	c, ok := content.(*acp.TextContent)
	if !ok {
		i := slices.IndexFunc(p.blocks, func(b acp.ContentBlock) bool { return reflect.DeepEqual(b, content) })
		if i < 0 {
			return false
		}
		p.blocks = slices.Concat(p.blocks[:i], p.blocks[i+1:])
		return true
	}
	if rest, ok := strings.CutPrefix(p.rest, c.Text); ok {
		p.rest = rest
		return true
	}
	said := strings.TrimSpace(c.Text)
	rest, ok := strings.CutPrefix(strings.TrimSpace(p.rest), said)
	if !ok || said == "" {
		return false
	}
	p.rest = rest
	return true
}

// echo reports whether a chunk repeats the prompt.
func (t *Transcript) echo(n *acp.SessionNotification, id string, content acp.ContentBlock) (Change, bool) {
	m, ok := t.at(t.prompt.index).(*Message)
	if !ok || !t.prompt.repeats(content) {
		return Change{}, false
	}
	next := *m
	next.note(n)
	next.Echoed = true
	if id != "" {
		next.MessageID = id
	}
	return t.replace(&next), true
}
