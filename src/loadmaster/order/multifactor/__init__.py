"""Multifactor priority: its factors a file each, as plain functions of columns, and the order that adds them up."""

from loadmaster.order.multifactor.parameters import Multifactor

__all__ = ["Multifactor"]
