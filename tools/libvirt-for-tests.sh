#!/usr/bin/env bash
# Gets what the tests beside a real libvirt need, from Debian's packages alone: libvirt, QEMU, and a guest that computes.
#
#   tools/libvirt-for-tests.sh [DIRECTORY]
#
# DIRECTORY is LOADMASTER_LIBVIRT where that is set, else ~/.cache/loadmaster-libvirt; it gets `vmlinuz` and `initrd.gz`,
# 15 MB. Installs libvirt, QEMU and busybox (root; a minute, 300 MB); the kernel's package is only unpacked. No KVM is
# needed: QEMU computes what the guest computes. `python tests/set_ups/real_libvirt.py` then starts two hosts.
set -euo pipefail

dir=$(mkdir -p "${1:-${LOADMASTER_LIBVIRT:-$HOME/.cache/loadmaster-libvirt}}" && cd "$_" && pwd)
packages=(libvirt-daemon-system libvirt-daemon-driver-qemu libvirt-dev qemu-system-x86 busybox-static cpio pkg-config)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -qq -y --no-install-recommends "${missing[@]}"
fi

if [ ! -e "$dir/vmlinuz" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  kernel=$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends: linux-image/ {print $2; exit}')
  (cd "$work" && apt-get download -qq -o APT::Sandbox::User= "$kernel" && dpkg-deb --fsys-tarfile ./*.deb |
    tar x --wildcards './boot/vmlinuz*')
  cp "$work"/boot/vmlinuz* "$dir/vmlinuz.part"
  mv "$dir/vmlinuz.part" "$dir/vmlinuz"
fi

# A guest that says READY and then counts for ever, a line on its serial port now and then.
root=$dir/root
mkdir -p "$root/bin" "$root/dev"
cp /bin/busybox "$root/bin/"
cat >"$root/init" <<'GUEST'
#!/bin/busybox sh
/bin/busybox mount -t devtmpfs none /dev
exec >/dev/ttyS0 2>&1 </dev/ttyS0
echo READY
rounds=0
while :; do
  step=0
  while [ $step -lt 20000 ]; do step=$((step + 1)); done
  rounds=$((rounds + 1))
  echo ROUND $rounds
done
GUEST
chmod +x "$root/init"
(cd "$root" && find . | cpio --quiet -o -H newc | gzip -1) >"$dir/initrd.gz"
echo "ready: $dir holds vmlinuz and initrd.gz"
