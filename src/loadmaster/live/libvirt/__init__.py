"""Hosts and virtual machines of libvirt: seen, capped and moved; none is ever started, stopped or destroyed."""
