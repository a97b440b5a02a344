# shellcheck shell=bash disable=SC2034
# Shared by the scripts of deploy/ that make trees, packages and images. Sourced, not run.

suite=trixie
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${CLOCKSMITH_CACHE:-$HOME/.cache/clocksmith}

# shellcheck source=deploy/prepare
. "$repo/deploy/prepare"

# need PROGRAM PACKAGE [PROGRAM PACKAGE]...: installs the packages of missing programs.
need() {
    local missing=() program package
    while [ $# -gt 0 ]; do
        program=$1 package=$2
        shift 2
        PATH="$PATH:/usr/sbin:/sbin" command -v "$program" >/dev/null || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
}

# in_tree TREE [SOURCE=TARGET...] -- COMMAND...: runs the command inside the tree, with the named
# folders bound into it, and with /dev, /tmp and /proc. The Swift compiler needs /proc to find its
# own libraries. The mounts are in a namespace of their own and end with it.
in_tree() {
    # shellcheck disable=SC2016  # Expanded by the inner shell.
    as_root unshare --mount --pid --fork bash -euc '
        tree=$1
        shift
        mount -t proc proc "$tree/proc"
        mount --rbind /dev "$tree/dev"
        mount -t tmpfs tmpfs "$tree/tmp"
        while [ "$1" != -- ]; do
            mkdir -p "$tree${1#*=}"
            mount --bind "${1%%=*}" "$tree${1#*=}"
            shift
        done
        shift
        exec chroot "$tree" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
            LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
    ' in_tree "$@"
}

# make_tree ARGUMENT...: mmdebstrap, with its mounts in a namespace of their own: a run that is cut
# short leaves none in a half made tree, which could not be removed then.
make_tree() { as_root unshare --mount mmdebstrap --quiet "$@"; }

# apt_archive SUITE COMPONENT...: prints a source for mmdebstrap. It is the archive of this
# machine's own apt, so that no address has to be fixed here.
apt_archive() {
    local site
    # shellcheck disable=SC2016  # These are apt's.
    site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Label: Debian' | head -n 1)
    [ -n "$site" ] \
        || die "apt names no Debian archive here: add one to /etc/apt/sources.list.d, run 'apt-get update'," \
            "then try again."
    echo "deb $site $*"
}

# apt_sources COMPONENT...: prints the suite's sources for mmdebstrap, one a line.
apt_sources() {
    local security
    apt_archive "$suite" "$@"
    apt_archive "$suite-updates" "$@"
    # shellcheck disable=SC2016
    security=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Label: Debian-Security' | head -n 1)
    [ -z "$security" ] || echo "deb $security $suite-security $*"
}

# key_of FILE...: prints a hash of the files' contents, to name the result made from them.
key_of() {
    cat -- "$@" | sha256sum | cut -c 1-12
}

# keep_newest PREFIX COUNT: removes older results of the same kind from the cache. Keeps the newest
# COUNT, and those made or asked for in the last three hours, as another run may be using them.
keep_newest() {
    local old
    find "$cache" -maxdepth 1 -name "$1-*" ! -name '*.part' -printf '%T@ %p\n' | sort -rn \
        | tail -n "+$(($2 + 1))" | cut -d ' ' -f 2- | while read -r old; do
        [ -n "$(find "$old" "$cache/used-${old##*/}" -maxdepth 0 -mmin -180 2>/dev/null)" ] \
            || as_root rm -rf --one-file-system "$old" "$cache/used-${old##*/}"
    done
}

# note_use: notes for keep_newest that the result of this script has been asked for. A file beside
# the result holds the time, because a tree belongs to root.
note_use() {
    local used=${out:-${tree-}}
    [ ! -e "${used:-/nothing}" ] || touch "$cache/used-${used##*/}" || true
}

# Makes sure that this machine can run arm64 programs (maintainer scripts) in a tree.
need_arm64() {
    case $(dpkg --print-architecture) in arm64) return ;; esac
    need qemu-aarch64-static qemu-user-static arch-test arch-test update-binfmts binfmt-support
    arch-test arm64 >/dev/null 2>&1 && return
    [ -e /proc/sys/fs/binfmt_misc/register ] \
        || as_root mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc || true
    as_root update-binfmts --enable qemu-aarch64 2>/dev/null || true
    arch-test arm64 >/dev/null 2>&1 \
        || as_root sh -c 'cat /usr/lib/binfmt.d/qemu-aarch64.conf >/proc/sys/fs/binfmt_misc/register' || true
    arch-test arm64 >/dev/null 2>&1 \
        || die "this machine cannot run arm64 programs: run 'sudo update-binfmts --enable qemu-aarch64'," \
            "then try again."
}

# Two scripts that make the same tree at once would disturb each other. So a script that makes one
# waits here for any other of its name. The lock ends with the script.
case ${0##*/} in
*-tree | card)
    mkdir -p "$cache"
    exec {making}>"$cache/lock-${0##*/}" \
        || die "the cache in $cache cannot be written: give it to $(id -un), or set CLOCKSMITH_CACHE."
    flock --nonblock "$making" || { say "waiting for another ${0##*/}"; flock "$making"; }
    # Here and not in the scripts: a changed script makes its tree again.
    trap note_use EXIT
    ;;
esac
