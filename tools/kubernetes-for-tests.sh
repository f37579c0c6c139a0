#!/usr/bin/env bash
# Builds a Kubernetes for the tests from Debian's packages alone: etcd, kube-apiserver, kube-scheduler, kubectl.
#
#   tools/kubernetes-for-tests.sh [DIRECTORY]
#
# DIRECTORY is LOADMASTER_KUBERNETES where that is set, else ~/.cache/loadmaster-kubernetes; its bin/ gets the programs.
# Needs Debian 12 (apt-get, dpkg-dev), no root, 4 GB of disk while it builds, and 5 to 20 minutes of two cores when
# cold. Nothing is installed, and the machine's own package lists stay as they are. What is built already is kept: run
# it again after a failure. CONTROLLERS=1 builds kube-controller-manager too, whose disruption controller keeps the
# status of PodDisruptionBudgets (1 to 5 minutes more).
set -euo pipefail

dir=$(mkdir -p "${1:-${LOADMASTER_KUBERNETES:-$HOME/.cache/loadmaster-kubernetes}}" && cd "$_" && pwd)
programs=(kube-apiserver kube-scheduler ${CONTROLLERS:+kube-controller-manager})
say() { printf '%s %s\n' "$(date +%T)" "$*"; }

# Lists of packages and of sources of our own, from the places that the machine uses.
fetch() {
  local apt=$dir/apt
  mkdir -p "$apt"/{lists/partial,cache/archives/partial,parts} "$dir/packages"
  local list
  for list in /etc/apt/sources.list.d/*.sources; do
    [ -e "$list" ] && sed 's/^Types:.*/Types: deb deb-src/' "$list" >"$apt/parts/$(basename "$list")"
  done
  [ -e /etc/apt/sources.list ] && sed -n 's/^deb \(.*\)/deb \1\ndeb-src \1/p' /etc/apt/sources.list >"$apt/sources.list"
  touch "$apt/sources.list"
  local options=(-q -o "Dir::Etc::sourceparts=$apt/parts" -o "Dir::Etc::sourcelist=$apt/sources.list"
    -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=)
  cd "$dir/packages"
  apt-get "${options[@]}" update
  apt-get "${options[@]}" download etcd-server golang-1.19-go golang-1.19-src kubernetes-client
  apt-get "${options[@]}" source --download-only kubernetes
}

unpack() {
  local package
  for package in "$dir"/packages/*.deb; do dpkg-deb --extract "$package" "$dir/root"; done
  rm -rf "$dir/go/src"
  mkdir -p "$dir/go/src/k8s.io"
  dpkg-source --no-check --extract "$dir"/packages/kubernetes_*.dsc "$dir/go/src/k8s.io/kubernetes"
}

# The descriptions of all types, which the source package leaves to its own build: without them nothing compiles.
describe() {
  go build -o "$dir/go/bin/openapi-gen" ./vendor/k8s.io/kube-openapi/cmd/openapi-gen
  local packages
  packages=$(grep -rlE --include='*.go' '^// *\+k8s:openapi-gen=' pkg vendor/k8s.io staging/src/k8s.io |
    grep -v /kube-openapi/ | xargs -n1 dirname | sed -E 's#^(staging/src|vendor)/##; s#^pkg/#k8s.io/kubernetes/pkg/#' |
    sort -u | while read -r package; do
      case $package in
        k8s.io/kubernetes/*) echo "$package" ;;
        *) [ -e "vendor/$package" ] && echo "k8s.io/kubernetes/vendor/$package" ;;
      esac
    done | paste -sd,)
  "$dir/go/bin/openapi-gen" --logtostderr --input-dirs "$packages" --output-package k8s.io/kubernetes/pkg/generated/openapi \
    --output-file-base zz_generated.openapi --go-header-file /dev/null --report-filename "$dir/openapi-violations.txt"
}

build() {
  local program part version major minor flags=""
  version=$(basename "$dir"/packages/kubernetes_*.dsc | sed -E 's/.*really//; s/^kubernetes_//; s/[-+].*//')
  IFS=. read -r major minor _ <<<"$version"
  for part in client-go/pkg component-base; do
    part=k8s.io/kubernetes/vendor/k8s.io/$part/version
    flags+=" -X $part.gitVersion=v$version -X $part.gitMajor=$major -X $part.gitMinor=$minor"
  done
  for program in "${programs[@]}"; do
    [ -x "$dir/bin/$program" ] && continue
    say "building $program"
    go build -p "${JOBS:-1}" -tags providerless -ldflags "-s -w$flags" -o "$dir/bin/$program" "./cmd/$program"
  done
}

export GOROOT=$dir/root/usr/lib/go-1.19 GOPATH=$dir/go GOCACHE=$dir/cache GO111MODULE=off GOPROXY=off CGO_ENABLED=0
export PATH=$GOROOT/bin:$PATH
mkdir -p "$dir/bin"
[ -e "$dir/packages/fetched" ] || { say "fetching packages"; fetch; touch "$dir/packages/fetched"; }
[ -e "$dir/go/unpacked" ] || { say "unpacking"; unpack; touch "$dir/go/unpacked"; }
install "$dir/root/usr/bin/etcd" "$dir/root/usr/bin/kubectl" "$dir/bin/"
cd "$dir/go/src/k8s.io/kubernetes"
[ -e "$dir/go/described" ] || { say "describing types"; describe; touch "$dir/go/described"; }
build
say "ready: $dir/bin holds $(cd "$dir/bin" && echo *)"
