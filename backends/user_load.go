package backends

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// LoadUserFile reads the description of an agent from a file. An error is a [*UserError] that names the file.
func LoadUserFile(file string) (UserBackend, error) {
	text, err := readUserFile(file)
	if err != nil {
		return UserBackend{}, &UserError{File: file, Faults: []error{err}}
	}
	u, faults := parseUser(text)
	if len(faults) > 0 {
		return UserBackend{}, &UserError{File: file, ID: u.Descriptor.ID, Faults: faults}
	}
	u.File = file
	return u, nil
}

func readUserFile(file string) ([]byte, error) {
	// Opening a pipe would wait for somebody to write.
	info, err := os.Stat(file)
	if err != nil {
		return nil, bare(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, bare(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxUserFile+1))
	return text, bare(err)
}

// bare takes the path off an error that is shown with the path anyway.
func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// LoadUser reads the descriptions in the files *.json of a folder, in the order of their names; hidden files are left out, which are
// those of editors. A file that cannot be used hides no other: what is good is returned along with what is not. No folder is no
// descriptions. Of two files with one id neither is good, since nothing says which is meant.
func LoadUser(dir string) ([]UserBackend, []*UserError) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var broken []*UserError
	if err != nil {
		broken = append(broken, &UserError{File: dir, Faults: []error{bare(err)}})
	}
	var good []UserBackend
	for _, entry := range entries { // sorted by name
		name := entry.Name()
		if filepath.Ext(name) != ".json" || strings.HasPrefix(name, ".") {
			continue
		}
		u, err := LoadUserFile(filepath.Join(dir, name))
		if fault, ok := errors.AsType[*UserError](err); ok {
			broken = append(broken, fault)
			continue
		}
		good = append(good, u)
	}
	return withoutTwins(good, broken)
}

// withoutTwins makes a fault of those that share an id.
func withoutTwins(all []UserBackend, broken []*UserError) ([]UserBackend, []*UserError) {
	files := map[string][]string{}
	for _, u := range all {
		files[u.Descriptor.ID] = append(files[u.Descriptor.ID], u.File)
	}
	good := make([]UserBackend, 0, len(all))
	for _, u := range all {
		id := u.Descriptor.ID
		others := slices.DeleteFunc(slices.Clone(files[id]), func(file string) bool { return file == u.File })
		if len(others) == 0 {
			good = append(good, u)
			continue
		}
		broken = append(broken, &UserError{File: u.File, ID: id, Faults: []error{
			fmt.Errorf("id: %q is that of %s as well", id, strings.Join(others, " and of ")),
		}})
	}
	return good, broken
}

// LookupUser finds a description by its id, among what [LoadUser] has returned; case and surrounding space do not matter. If it is that
// of a file that cannot be used, or that is named after it, the error is the [*UserError] of that file. Anything else is an
// [*UnknownError], for which built-in agents count too.
func LookupUser(id string, users []UserBackend, broken []*UserError) (UserBackend, error) {
	key := normal(id)
	all := table()
	for _, u := range users {
		if u.Descriptor.ID == key {
			return u, nil
		}
		all = append(all, u.Descriptor)
	}
	for _, e := range broken {
		if key != "" && e.ID == key || key != "" && e.ID == "" && strings.TrimSuffix(filepath.Base(e.File), ".json") == key {
			return UserBackend{}, e
		}
		if e.ID != "" {
			all = append(all, Descriptor{ID: e.ID})
		}
	}
	var near []string
	for _, candidate := range nearest(key, all) { // two files may share one id
		if !slices.Contains(near, candidate) {
			near = append(near, candidate)
		}
	}
	return UserBackend{}, &UnknownError{ID: id, Nearest: near}
}
