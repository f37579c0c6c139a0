"""Bags of independent tasks on rented machines."""
