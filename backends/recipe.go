package backends

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

//go:embed recipes/*.json
var recipeFiles embed.FS

// Recipe is what makes an agent run full turns in a home of its own, without an account: which environment and files point
// it at a model, and how it is made to ask before it acts. A file recipes/BACKEND.NAME.json holds one.
//
// Environment and files have placeholders: ${home} and ${workspace} for the isolated folders, ${model} for the URL of the
// model server without a slash at the end. The arguments of Shell have ${command}. Anything else in that form is an error.
type Recipe struct {
	// Backend is the id of the backend.
	Backend string `json:"-"`
	// Name is the name of the recipe, such as "loopback".
	Name string `json:"-"`
	// Env is set in the agent's environment.
	Env map[string]string `json:"env,omitempty"`
	// Files are written before the agent starts, by their slash-separated path in the isolated home: a JSON object, or a
	// list of lines.
	Files map[string]json.RawMessage `json:"files,omitempty"`
	// Mode is the session mode to set after session/new, empty to leave the agent's own.
	Mode string `json:"mode,omitempty"`
	// Shell is the tool call by which the agent's model runs a shell command, nil if that is not known. Set up by the
	// recipe, the agent asks its client first, if it ever does.
	Shell *RecipeTool `json:"shell,omitempty"`
	// NeverAsks says that the agent does not ask, whatever its mode.
	NeverAsks bool `json:"neverAsks,omitempty"`
	// Notes say why something is as it is.
	Notes []string `json:"notes,omitempty"`
}

// String lists names only: a value may be a secret.
func (r Recipe) String() string {
	return fmt.Sprintf("recipe %s of %s: env %v, files %v",
		r.Name, r.Backend, slices.Sorted(maps.Keys(r.Env)), slices.Sorted(maps.Keys(r.Files)))
}

// GoString is String, so that %#v shows no value either.
func (r Recipe) GoString() string { return r.String() }

// RecipeTool is a tool call of a model.
type RecipeTool struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // a JSON object
}

// RecipeValues are what the placeholders of a recipe stand for.
type RecipeValues struct {
	Home, Workspace, Model string
}

// RecipeNames returns the names of all recipes, sorted.
func RecipeNames() []string {
	var names []string
	for _, file := range recipeList() {
		_, name, _ := recipeID(file)
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// RecipeBackends returns the ids of the backends that have a recipe of this name, sorted.
func RecipeBackends(name string) []string {
	var ids []string
	for _, file := range recipeList() {
		if id, n, _ := recipeID(file); n == name {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// LookupRecipe returns the recipe of that name for a backend, given by its id.
func LookupRecipe(name, backend string) (Recipe, error) {
	text, err := recipeFiles.ReadFile("recipes/" + backend + "." + name + ".json")
	if err != nil {
		if !slices.Contains(RecipeNames(), name) {
			return Recipe{}, fmt.Errorf("there is no recipe %q: there is %s", name, strings.Join(RecipeNames(), ", "))
		}
		return Recipe{}, fmt.Errorf("backend %q has no recipe %q: %s have it", backend, name, strings.Join(RecipeBackends(name), ", "))
	}
	r, err := ParseRecipe(text)
	r.Backend, r.Name = backend, name
	if err != nil {
		return Recipe{}, fmt.Errorf("cannot read recipe %q of backend %q: %w", name, backend, err)
	}
	return r, nil
}

// ParseRecipe reads a recipe from JSON. Unknown members, paths that lead out of the home and unknown placeholders are
// errors. Backend and Name are left empty.
func ParseRecipe(text []byte) (Recipe, error) {
	var r Recipe
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return Recipe{}, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Recipe{}, errors.New("something follows the JSON object")
	}
	if _, err := r.Fill(RecipeValues{}); err != nil {
		return Recipe{}, err
	}
	if _, err := r.ShellCall("true"); err != nil {
		return Recipe{}, err
	}
	return r, nil
}

// FilledRecipe is a recipe without placeholders.
type FilledRecipe struct {
	Env   []string          // KEY=VALUE, sorted
	Files map[string][]byte // by slash-separated path in the home
}

// String lists names only: a value may be a secret.
func (f FilledRecipe) String() string {
	var names []string
	for _, entry := range f.Env {
		name, _, _ := strings.Cut(entry, "=")
		names = append(names, name)
	}
	return fmt.Sprintf("env %v, files %v", names, slices.Sorted(maps.Keys(f.Files)))
}

// GoString is String, so that %#v shows no value either.
func (f FilledRecipe) GoString() string { return f.String() }

// Fill puts values for the placeholders of environment and files.
func (r Recipe) Fill(v RecipeValues) (FilledRecipe, error) {
	filler := filler{"home": v.Home, "workspace": v.Workspace, "model": v.Model}
	filled := FilledRecipe{Files: map[string][]byte{}}
	for _, name := range slices.Sorted(maps.Keys(r.Env)) {
		value, err := filler.text(r.Env[name])
		if err != nil {
			return FilledRecipe{}, fmt.Errorf("environment variable %s: %w", name, err)
		}
		filled.Env = append(filled.Env, name+"="+value)
	}
	for name, content := range r.Files {
		if !fs.ValidPath(name) || name == "." || strings.Contains(name, `\`) {
			return FilledRecipe{}, fmt.Errorf("file %q is no path below the home", name)
		}
		text, err := filler.file(content)
		if err != nil {
			return FilledRecipe{}, fmt.Errorf("file %s: %w", name, err)
		}
		filled.Files[name] = text
	}
	return filled, nil
}

// ShellCall returns the tool call that runs a shell command; one without a name if the recipe knows none.
func (r Recipe) ShellCall(command string) (RecipeTool, error) {
	if r.Shell == nil {
		return RecipeTool{}, nil
	}
	var arguments map[string]any
	if err := json.Unmarshal(r.Shell.Arguments, &arguments); err != nil {
		return RecipeTool{}, fmt.Errorf("the arguments of the shell tool: %w", err)
	}
	filled, err := filler{"command": command}.value(arguments)
	if err != nil {
		return RecipeTool{}, fmt.Errorf("the arguments of the shell tool: %w", err)
	}
	text, err := json.Marshal(filled)
	return RecipeTool{Name: r.Shell.Name, Arguments: text}, err
}

// recipeList returns the paths of all recipes.
func recipeList() []string {
	files, _ := fs.Glob(recipeFiles, "recipes/*.json") // the pattern is good
	return files
}

// recipeID splits the path of a recipe into backend and name.
func recipeID(file string) (backend, name string, ok bool) {
	return strings.Cut(strings.TrimSuffix(path.Base(file), ".json"), ".")
}
