package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/parity/bench"
	"github.com/acpharness/acpharness/parity/probe"
	"github.com/acpharness/acpharness/provider"
)

// recipeFlag adds --recipe to a command.
func recipeFlag(cmd *cobra.Command, recipe *string) {
	cmd.Flags().StringVar(recipe, "recipe", "", "run the agent in a fresh place made by the recipe `NAME`, without an account:\n"+
		"\"loopback\" gives it a model server on loopback; see acpctl mock model")
	_ = cmd.RegisterFlagCompletionFunc("recipe", cobra.FixedCompletions(backends.RecipeNames(), cobra.ShellCompDirectiveNoFileComp))
}

// recipeOf returns the recipe of that name for a subject.
func recipeOf(name string, s probe.Subject) (*backends.Recipe, error) {
	if s.Descriptor == nil {
		return nil, usageError("--recipe needs a backend: nothing is known of the command %s", s.Name)
	}
	r, err := backends.LookupRecipe(name, s.Descriptor.ID)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	return &r, nil
}

// offline runs acpctl again where there is no network but the fake model of the recipe, and reports whether it did; then the
// error is how that ended. It comes before anything is read from standard input.
func (a *app) offline(recipe string) (bool, error) {
	if recipe == "" {
		return false, nil
	}
	a.hard.use() // the second program has the signals as well, and ends by itself
	code, ran, err := bench.Offline()
	switch {
	case ran && code == exitOK:
		return true, nil
	case ran:
		return true, &exitError{code, nil}
	case err != nil:
		fmt.Fprintf(a.streams.Err, "acpctl: the agent can reach the network: %v\n", err)
	}
	return false, nil
}

// place is where an agent runs.
type place struct {
	opts  provider.ConnectOptions // environment
	bench *bench.Bench            // nil without a recipe
	close func() error
}

// isolate makes a place for one agent: by a recipe if there is one, else a home in dir, a fresh one if dir is empty. What an
// agent leaves behind in it, it leaves to nobody.
func (a *app) isolate(ctx context.Context, recipe *backends.Recipe, dir string) (*place, error) {
	if recipe == nil {
		home, err := bench.NewHome(dir)
		if err != nil {
			return nil, err
		}
		return &place{opts: provider.ConnectOptions{SetEnv: home.Vars(), KillDaemons: dir == ""}, close: home.Remove}, nil
	}
	// An interrupt stops the agent first, and the model after it.
	b, err := bench.Start(context.WithoutCancel(ctx), *recipe, &bench.Options{Log: a.logger, Journal: a.modelCall})
	if err != nil {
		return nil, err
	}
	opts := provider.ConnectOptions{EnvMode: provider.EnvClean, SetEnv: b.Env(), KillDaemons: true}
	return &place{opts: opts, bench: b, close: b.Close}, nil
}

// leave gives a place up.
func (a *app) leave(p *place) {
	if err := p.close(); err != nil {
		a.logger.Warn("isolated place left behind", "err", err)
	}
}

// modelCall logs a request to the fake model.
func (a *app) modelCall(c bench.ModelCall) {
	a.logger.Debug("model call", "api", c.API, "model", c.Model, "tools", len(c.Tools), "errand", c.Utility,
		"reply", string(c.Kind), "status", c.Status, "path", fmt.Sprintf("%s %s", c.Method, c.Path))
}
