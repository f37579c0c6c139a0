"""Sphinx configuration."""

project = "loadmaster"
author = "the loadmaster developers"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence"]
