#!/bin/sh
# Installs the agents of agents.txt, and the Node that they run on, from npm: install.sh [AGENT...], all without a name.
#
# They go into $ACPHARNESS_AGENTS or, without it, acpharness/agents in the cache folder of the user, one folder each. What is
# there as pinned is left alone. Needs node and npm, of any version that npm itself runs on. Install scripts of the packages
# get a home and XDG folders of their own; the rest of the environment is yours.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=${ACPHARNESS_AGENTS:-${XDG_CACHE_HOME:-$HOME/.cache}/acpharness/agents}

fail() {
	echo "install.sh: $1" >&2
	exit 1
}

command -v npm >/dev/null && command -v node >/dev/null || fail "cannot install agents: node and npm are not on PATH"

# packages_of prints the packages of an agent, nothing if there is no such agent.
packages_of() {
	awk -v id="$1" '$1 == id { $1 = ""; sub(/^ +/, ""); print }' "$here/agents.txt"
}

# install ID puts the packages of one line into their folder. The stamp is written last: a run that was cut short is begun
# anew.
install() {
	packages=$(packages_of "$1")
	[ -n "$packages" ] || fail "agents.txt has no agent $1"
	place=$folder/$1
	if [ "$(cat "$place/pinned" 2>/dev/null)" = "$packages" ]; then
		echo "$1: $packages (there)"
		return
	fi
	rm -rf "$place"
	mkdir -p "$place/home"
	# One word a package: no package name has a space.
	# shellcheck disable=SC2086
	HOME=$place/home XDG_CONFIG_HOME=$place/home/.config XDG_DATA_HOME=$place/home/.local/share \
		XDG_STATE_HOME=$place/home/.local/state XDG_CACHE_HOME=$place/home/.cache \
		npm_config_cache=$cache npm_config_userconfig=$npmrc \
		npm install --prefix "$place" --no-audit --no-fund --no-package-lock --loglevel=error $packages >/dev/null ||
		fail "cannot install $1 ($packages); npm said why"
	rm -rf "$place/home"
	echo "$packages" >"$place/pinned"
	echo "$1: $packages"
}

# Asked before HOME is another one.
cache=$(npm config get cache)
npmrc=$(npm config get userconfig)

[ $# -gt 0 ] || set -- $(awk '!/^#/ && NF && $1 != "node" { print $1 }' "$here/agents.txt")
install node
PATH=$folder/node/node_modules/node/bin:$PATH
export PATH
for agent; do
	install "$agent"
done
