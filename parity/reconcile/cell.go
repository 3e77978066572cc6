package reconcile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acpharness/acpharness/backends"
)

// Cell is one edit under certain circumstances.
type Cell struct {
	Edit backends.Edit `json:"edit"`
	// Injected says that a server was given to the session over ACP, beside the one that is edited in the file.
	Injected bool `json:"injected,omitempty"`
	// SameName says that the server that was given has the name of the one that is edited. It needs Injected.
	SameName bool `json:"sameName,omitempty"`
	// InPlace says that the file is written in place, and not replaced by another.
	InPlace bool `json:"inPlace,omitempty"`
	// MidTurn says that the edit is made while the session is in a turn.
	MidTurn bool `json:"midTurn,omitempty"`
	// Second says that another session of the process is looked at, beside the first.
	Second bool `json:"second,omitempty"`
}

// Key names a cell, such as "add/injected/in-place".
func (c Cell) Key() string {
	parts := []string{string(c.Edit)}
	for _, p := range []struct {
		on   bool
		name string
	}{{c.Injected, "injected"}, {c.SameName, "same-name"}, {c.InPlace, "in-place"}, {c.MidTurn, "mid-turn"}, {c.Second, "second-session"}} {
		if p.on {
			parts = append(parts, p.name)
		}
	}
	return strings.Join(parts, "/")
}

func (c Cell) String() string { return c.Key() }

// serverEdits are the edits that can be made of any agent's file.
func serverEdits() []backends.Edit {
	return []backends.Edit{
		backends.EditAdd, backends.EditDisable, backends.EditEnable, backends.EditRemove, backends.EditToolFilter, backends.EditChangeTransport,
	}
}

// Cells are the cells of an agent with these files: those of an idle session whose file is replaced, with and without a server that it
// was given; full adds all other circumstances, and the edits of references and rules.
func Cells(files []backends.MCPFile, takes backends.Transports, full bool) []Cell {
	if len(files) == 0 {
		return nil
	}
	edits := slices.DeleteFunc(serverEdits(), func(e backends.Edit) bool {
		return e == backends.EditToolFilter && files[0].Filter == (backends.MCPFilter{})
	})
	injects := takes.Stdio || takes.HTTP
	var cells []Cell
	for _, e := range edits {
		cells = append(cells, Cell{Edit: e})
		if injects {
			cells = append(cells, Cell{Edit: e, Injected: true})
		}
	}
	if !full {
		return cells
	}
	for _, e := range edits {
		cells = append(cells, Cell{Edit: e, InPlace: true}, Cell{Edit: e, MidTurn: true}, Cell{Edit: e, Second: true})
		if injects && (e == backends.EditDisable || e == backends.EditRemove) {
			cells = append(cells, Cell{Edit: e, Injected: true, SameName: true})
		}
	}
	if files[0].RefsKey != "" {
		cells = append(cells, Cell{Edit: backends.EditAddRef}, Cell{Edit: backends.EditRemoveRef})
	}
	if files[0].AllowedKey != "" || len(files[0].RuleKeys) > 0 {
		cells = append(cells, Cell{Edit: backends.EditPermissionRule})
	}
	return cells
}

// ParseCell reads what Key writes.
func ParseCell(key string) (Cell, error) {
	parts := strings.Split(key, "/")
	c := Cell{Edit: backends.Edit(parts[0])}
	if !c.Edit.Known() || c.Edit == backends.EditSpawnField {
		return Cell{}, fmt.Errorf("cannot read the cell %q: %q is no edit that can be tried", key, parts[0])
	}
	for _, p := range parts[1:] {
		switch p {
		case "injected":
			c.Injected = true
		case "same-name":
			c.SameName = true
		case "in-place":
			c.InPlace = true
		case "mid-turn":
			c.MidTurn = true
		case "second-session":
			c.Second = true
		default:
			return Cell{}, fmt.Errorf("cannot read the cell %q: %q is no circumstance", key, p)
		}
	}
	if c.SameName && !c.Injected || c.Key() != key {
		return Cell{}, fmt.Errorf("cannot read the cell %q", key)
	}
	return c, nil
}
