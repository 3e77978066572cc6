package reconcile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/harness/mcpfile"
)

// baseline writes the file as it is before an edit.
func (st *stage) baseline(ctx context.Context, edit backends.Edit) error {
	entries := []mcpfile.Entry{entryOf(st.base)}
	if edit != backends.EditAdd {
		entries = append(entries, entryOf(st.extra))
	}
	if _, err := st.config.Add(ctx, entries...); err != nil {
		return err
	}
	switch edit {
	case backends.EditEnable:
		_, err := st.config.Disable(ctx, extraName)
		return err
	case backends.EditAddRef:
		return st.raw(Cell{}, st.refs(false))
	default:
		return nil
	}
}

// edit makes an edit on disk: by the editor, which replaces the file, or in place with the text that the editor would have made.
func (st *stage) edit(ctx context.Context, cell Cell) error {
	switch cell.Edit {
	case backends.EditChangeTransport:
		return st.raw(cell, func(text []byte) ([]byte, error) {
			return bytes.ReplaceAll(text, []byte(firstMark), []byte(secondMark)), nil
		})
	case backends.EditAddRef, backends.EditRemoveRef:
		return st.raw(cell, st.refs(cell.Edit == backends.EditAddRef))
	case backends.EditPermissionRule:
		return st.raw(cell, st.allow)
	default:
	}
	if !cell.InPlace {
		_, err := st.verb(ctx, st.config, cell.Edit)
		return err
	}
	result, err := st.verb(ctx, st.dry, cell.Edit)
	if err != nil {
		return err
	}
	if len(result.Files) != 1 {
		return errors.New("the edit changes more than one file, or none")
	}
	return os.WriteFile(result.Files[0].Path, result.Files[0].After.Text(), 0o600)
}

func (st *stage) verb(ctx context.Context, config *mcpfile.Config, edit backends.Edit) (*mcpfile.Result, error) {
	switch edit {
	case backends.EditAdd:
		return config.Add(ctx, entryOf(st.extra))
	case backends.EditDisable:
		return config.Disable(ctx, extraName)
	case backends.EditEnable:
		return config.Enable(ctx, extraName)
	case backends.EditRemove:
		return config.Remove(ctx, extraName)
	case backends.EditToolFilter:
		return config.SetFilter(ctx, extraName, st.narrow())
	default:
		return nil, fmt.Errorf("%s cannot be tried", edit)
	}
}

// narrow hides beta, in the way that the agent has.
func (st *stage) narrow() mcpfile.Filter {
	form := st.subject.Descriptor.MCPFiles[0].Filter
	if form.Exclude == "" && form.Switches == "" {
		return mcpfile.Filter{Include: []string{"alpha"}}
	}
	return mcpfile.Filter{Exclude: []string{"beta"}}
}

// raw replaces the file, or writes it in place, without the editor.
func (st *stage) raw(cell Cell, fn func([]byte) ([]byte, error)) error {
	text, err := os.ReadFile(st.path)
	if err != nil {
		return err
	}
	made, err := fn(text)
	switch {
	case err != nil:
		return err
	case bytes.Equal(text, made):
		return errors.New("the edit has changed nothing")
	case cell.InPlace:
		return os.WriteFile(st.path, made, 0o600)
	}
	if err := os.WriteFile(st.path+".new", made, 0o600); err != nil {
		return err
	}
	return os.Rename(st.path+".new", st.path)
}

// refs puts the reference to extra into the file, or takes it out.
func (st *stage) refs(add bool) func([]byte) ([]byte, error) {
	key := st.subject.Descriptor.MCPFiles[0].RefsKey
	return func(text []byte) ([]byte, error) { return editList(text, key, "@"+extraName, add) }
}

// allow lets extra be called without asking.
func (st *stage) allow(text []byte) ([]byte, error) {
	layout := st.subject.Descriptor.MCPFiles[0]
	if layout.AllowedKey != "" {
		return editList(text, layout.AllowedKey, "@"+extraName, true)
	}
	return nil, errors.New("there is no rule of the whole file")
}

// editList adds a text to a list of a JSON file, or takes it out. What the file looks like then is of no matter.
func editList(text []byte, key, elem string, add bool) ([]byte, error) {
	var file map[string]any
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	list, _ := file[key].([]any)
	list = slices.DeleteFunc(list, func(v any) bool { return v == elem })
	if add {
		list = append(list, elem)
	}
	file[key] = append([]any{}, list...)
	return json.MarshalIndent(file, "", "  ")
}
