package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/acpharness/acpharness/internal/fakeagent"
	"github.com/acpharness/acpharness/internal/fakemodel"
	"github.com/acpharness/acpharness/internal/loopback"
)

func (a *app) mockCommand() *cobra.Command {
	var script string
	var signIn bool
	agent := func(cmd *cobra.Command, _ []string) error { return a.mockAgent(cmd.Context(), script, signIn) }
	cmd := &cobra.Command{
		Use:   "mock",
		Short: "Be an agent, a model or an MCP server, for tests of clients",
		Long:  "mock agent speaks the protocol on stdin and stdout: the built-in agent, or one with faults by a script.\nWithout a name it is the agent.",
		Args:  usageArgs(cobra.NoArgs),
		RunE:  agent,
	}
	sub := &cobra.Command{Use: "agent", Short: "Be an agent on stdin and stdout", Args: usageArgs(cobra.NoArgs), RunE: agent}
	for _, c := range []*cobra.Command{cmd, sub} {
		c.Flags().StringVar(&script, "script", "", "a JSON `FILE` with the faults of the agent, see docs/mock-agent.md")
		c.Flags().BoolVar(&signIn, "sign-in", false, "sign in to the agent of the script, for a way to sign in by a terminal, and end")
	}
	cmd.AddCommand(sub, a.mockModelCommand(), a.mockMCPCommand())
	return cmd
}

func (a *app) mockAgent(ctx context.Context, script string, signIn bool) error {
	opts := &fakeagent.Options{Version: fakeagent.Version, AgentFile: mockAgentFile(), Stderr: a.streams.Err}
	if script != "" {
		text, err := os.ReadFile(script)
		if err != nil {
			return usageError("cannot read the script: %w", err)
		}
		if opts.Script, err = fakeagent.ParseScript(text); err != nil {
			return &exitError{exitUsage, err}
		}
	}
	if signIn {
		if opts.Script == nil {
			opts.Script = &fakeagent.Script{}
		}
		if err := opts.Script.WriteSignIn(); err != nil {
			return err
		}
		fmt.Fprintln(a.streams.Out, "signed in")
		return nil
	}
	err := fakeagent.Serve(ctx, a.streams.In, a.streams.Out, opts)
	if exit, ok := errors.AsType[*fakeagent.ExitError](err); ok {
		return &exitError{exit.Code, nil}
	}
	return err
}

// mockAgentFile is the configuration of the built-in agent. Without a home there is none.
func mockAgentFile() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".acpharness-mock", "agent.json")
}

func (a *app) mockModelCommand() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "model",
		Short: "Be a model server on loopback",
		Long: "mock model speaks the chat and responses APIs of OpenAI, Anthropic's and Gemini's, and prints its URL. It answers\n" +
			"\"pong\", or what markers in the prompt ask for: @@TEXT words@@, @@TOOL name {json}@@, @@THINK@@, @@SLOW n ms@@,\n" +
			"@@ENDLESS ms@@, @@ERR 400@@, @@BIG n@@, @@HANG@@, @@EMPTY@@.",
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, err := fakemodel.Listen(cmd.Context(), listen, &fakemodel.Options{Log: a.logger})
			if errors.Is(err, loopback.ErrNotLoopback) {
				return &exitError{exitUsage, err}
			}
			if err != nil {
				return err
			}
			fmt.Fprintln(a.streams.Out, server.URL())
			<-cmd.Context().Done()
			return server.Close()
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "the loopback `ADDRESS` to listen on; port 0 is any that is free")
	return cmd
}
