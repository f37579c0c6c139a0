"""Kubernetes as an engine."""
