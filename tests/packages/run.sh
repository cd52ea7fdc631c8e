#!/usr/bin/env bash
# run.sh PACKAGES WORK: the packages and the tarball in PACKAGES, tried in a fresh Debian in WORK. Needs root, the network, some GB of
# disk and some minutes: lintian; debootstrap; the tarball in two places, with nothing installed; every package with nothing but its
# dependencies, used; all of them purged, and nothing left behind.
set -euo pipefail
packages=$(realpath "$1")
mkdir -p "$2"
work=$(realpath "$2")
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
root=$work/root
export LC_ALL=C.UTF-8

say() { printf '\n== %s (%d s)\n' "$*" "$SECONDS"; }
fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}
quietly() { # quietly COMMAND...: shows what it printed only where it fails
  "$@" >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2 && fail "$*"; }
}

# within USER COMMAND...: in the fresh Debian, by a user's number, with an environment of its own.
within() {
  local user=$1
  shift
  unshare --mount --pid --fork --mount-proc="$root/proc" chroot --userspec="$user:$user" "$root" "$@"
}
environment=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp/try LC_ALL=C.UTF-8)
inside() { within 0 /usr/bin/env -i -C /tmp/try "${environment[@]}" DEBIAN_FRONTEND=noninteractive "$@"; }

# What lies in the fresh Debian, but for what apt and logs keep for themselves, and our own folder.
files() {
  (cd "$root" && find . -xdev \( -path ./proc -o -path ./tmp -o -path ./run -o -path ./var/log -o -path ./var/cache -o \
    -path ./var/lib/apt \) -prune -o -print)
}

# "URI CODENAME" of each part of Debian that this machine takes its packages from.
mirrors() {
  apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(REPO_URI) $(CODENAME)' 'Created-By: Packages' |
    awk '$1 == "Debian" && $2 == "main" {print $3, $4}' | sort -u
}

# satisfy DEPENDENCIES: by apt; what comes with it is not ours.
satisfy() {
  files | sort >"$work/before"
  quietly inside apt-get satisfy -y -qq --no-install-recommends "$1"
  files | sort | comm -13 "$work/before" - >>"$work/theirs"
}

# install NAME...: dependencies by apt, then the packages by dpkg, which refuses what is incomplete.
install() {
  local name names=()
  for name in "$@"; do
    dpkg-deb -f "$packages/$name"_*.deb Depends
  done | tr ',' '\n' | sed '/snapcube/d; s/^ *//' | sort -u | paste -sd, >"$work/depends"
  [[ -z $(<"$work/depends") ]] || satisfy "$(<"$work/depends")"
  for name in "$@"; do
    cp "$packages/$name"_*.deb "$root/tmp/try/"
    names+=("$(basename "$packages/$name"_*.deb)")
  done
  quietly inside dpkg -i "${names[@]}"
}

say "lintian"
lintian --allow-root --fail-on error --suppress-tags initial-upload-closes-no-bugs,maintainer-script-empty "$packages"/*.deb

say "debootstrap"
codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
rm -rf "$root"
mkdir -p "$work/cache"
quietly debootstrap --variant=minbase --cache-dir="$work/cache" "$codename" "$root" \
  "$(mirrors | awk -v codename="$codename" '$2 == codename {print $1; exit}')"
mirrors | sed 's/^/deb /; s/$/ main/' >"$root/etc/apt/sources.list"
mkdir "$root/tmp/try"
quietly inside apt-get update -qq
files >"$work/theirs"

say "the tarball, in two places, with an empty environment, by nobody"
for place in "opt/one" "tmp/two words"; do
  mkdir -p "$root/$place"
  tar -C "$root/$place" --strip-components 1 -xf "$packages"/snapcube-[0-9]*.tar.xz
  out=$root/tmp/out-${place##*/}
  mkdir "$out"
  chmod 777 "$out"
  by_nobody() { within 65534 /usr/bin/env -i -C "/tmp/out-${place##*/}" "/$place/bin/snapcube" "$@"; }
  by_nobody --version
  mkdir -p "$root/tmp/wrong"
  : >"$root/tmp/wrong/libzip.so.4" # what a cluster's modules may lead to
  within 65534 /usr/bin/env -i LD_LIBRARY_PATH=/tmp/wrong "/$place/bin/snapcube" --version >"$work/log" || fail "LD_LIBRARY_PATH"
  by_nobody demo --methods cst-s --scene chart
  by_nobody models | grep -F "/$place/" # its own
  for name in cube.h5 cube.tif cube.hdr; do
    by_nobody convert demo-output/cst-s.mat "$name" 2>/dev/null
  done
done
diff -r "$root/tmp/out-one" "$root/tmp/out-two words" -x '*.png' || fail "the two places give different cubes"
rm -rf "$root/opt/one" "$root/tmp/two words" "$root"/tmp/out-* "$root/tmp/wrong"

say "the program"
library=$(basename "$packages"/libsnapcube[0-9]*.deb)
library=${library%%_*}
install "$library" snapcube
inside snapcube demo
inside snapcube convert demo-output/gap-tv.mat cube.h5
inside sh -c 'test -s /usr/share/man/man1/snapcube-reconstruct.1.gz'
inside bash -c '. /usr/share/bash-completion/completions/snapcube && COMP_WORDS=(snapcube recon) COMP_CWORD=1 && _snapcube &&
  [[ ${COMPREPLY[*]} == reconstruct ]]'
inside test -s /usr/share/zsh/vendor-completions/_snapcube

say "Python"
install python3-snapcube
cp "$here/try.py" "$root/tmp/try/"
inside python3 try.py

say "Octave"
install octave-snapcube
cp "$here/../../octave/tests/test_snapcube.m" "$root/tmp/try/"
inside octave-cli --norc --quiet --path /tmp/try --eval test_snapcube # the functions are where Octave looks by itself

say "C and C++"
install libsnapcube-dev
satisfy "gcc, g++, cmake, make, pkg-config"
cp -r "$here/../install" "$root/tmp/try/consumer"
inside sh -c 'cc consumer/consumer.c -o by_hand $(pkg-config --cflags --libs snapcube) && ./by_hand c.h5'
inside sh -c 'c++ -std=c++20 consumer/consumer.cpp -o by_hand $(pkg-config --cflags --libs snapcube) && ./by_hand cpp.h5'
quietly inside sh -c 'cmake -S consumer -B built && cmake --build built'
inside built/consumer cmake.h5
inside cmp c.h5 cpp.h5
inside cmp c.h5 cmake.h5

if compgen -G "$packages/snapcube-train_*.deb" >/dev/null; then
  say "training"
  install snapcube-train
  inside snapcube train --describe cst-s
  inside sh -c 'mkdir -p scenes && snapcube simulate --scene texture --size 128x128 --random-mask binary --save-truth scenes/one.npy -o shot.npy &&
    snapcube train --data scenes --mask binary --run run --recipe quick --steps 2 --crop 128 --crop-height 64 --batch 1' >/dev/null
  inside test -s run/last.safetensors
fi

say "purged"
mapfile -t ours < <(inside dpkg-query -W -f '${db:Status-Status} ${Package}\n' '*snapcube*' | sed -n 's/^installed //p')
quietly inside dpkg --purge "${ours[@]}"
files | sort -u >"$work/after"
sort -u "$work/theirs" | comm -13 - "$work/after" | while read -r path; do
  inside dpkg -S "${path#.}" >/dev/null 2>&1 || echo "$path" # a folder that other packages have, too
done >"$work/left"
grep -i snapcube "$work/after" >>"$work/left" || true
[[ ! -s $work/left ]] || fail "left behind: $(cat "$work/left")"
echo "nothing is left of ${ours[*]}"
rm -rf "$root"
say "well"
