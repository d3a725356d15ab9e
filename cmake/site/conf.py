"""Settings of sphinx for the site of the two books: read by sphinx-build, which make.py starts (docs/decisions/site.md)."""
project = "onyx"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "onyx"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_show_copyright = False
pygments_style, pygments_dark_style = "friendly", "monokai"
myst_heading_anchors = 4
exclude_patterns = ["_static"]
highlight_language = "none"
# Tables of messages and grammars are no code of a language that pygments has.
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
