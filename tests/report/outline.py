#!/usr/bin/env python3
"""Prints what a page of hta report says, without markup, pictures and tables: for golden cases.  hta report ... | outline.py"""
import html
import re
import sys

page = sys.stdin.buffer.read().decode('utf-8')
page = page[page.index('<main'):page.index('<footer')]  # the foot tells how hta was built
page = re.sub(r'<svg.*?</svg>\n?(?=</div>)|<table>.*?</table>|<ul class="legend">.*?</ul>', '', page, flags=re.DOTALL)
page = re.sub(r'\s*<h2[^>]*>', '\n\n## ', page)
page = re.sub(r'\s*<h3[^>]*>', '\n\n### ', page)
page = re.sub(r'\s*<(p|li|summary|ul|ol|footer)\b[^>]*>\s*', '\n', page)
page = html.unescape(re.sub(r'<[^>]*>', '', page))
print(re.sub(r'\n{3,}', '\n\n', re.sub(r'[ \t]+\n', '\n', page)).strip())
