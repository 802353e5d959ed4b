"""How Sphinx builds the site from the folder that staging.py has put together."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from mini_bert import __version__  # noqa: E402

project = "Mini-BERT"
release = version = __version__
copyright = "the Mini-BERT authors, MIT licence"
language = "en"

extensions = ["myst_parser", "dollars", "formulas", "code_blocks", "repository_links", "api_search"]
highlight_language = "bash"
myst_enable_extensions = ["dollarmath", "html_image", "strikethrough", "tasklist"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 6
myst_dmath_allow_labels = False
myst_dmath_allow_space = False
myst_dmath_allow_digits = False
myst_dmath_double_inline = True

html_theme = "furo"
html_title = "Mini-BERT"
html_math_renderer = "mathml"
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_search_summary = False  # a page opened from disk may not fetch the pages that it found
html_show_sphinx = False
html_domain_indices = False
html_use_index = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
