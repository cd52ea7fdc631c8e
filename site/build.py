#!/usr/bin/env python3
"""build.py OUTPUT: the Markdown of this repository as one searchable set of pages, with the references; checks every link.

OUTPUT/site is the result. Pages keep their place in the repository, so that their links stay as they are. The Python reference is made
from the docstrings of python/snapcube, that of C and C++ from the headers by Doxygen.
"""

from __future__ import annotations

import ast
import html.parser
import re
import shutil
import subprocess
import sys
import urllib.parse
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]

#: Title and file of every page, in the order of the menu.
PAGES: dict[str, dict[str, str]] = {
    "Start": {"Snapcube": "index.md", "What is new": "CHANGELOG.md"},
    "Using it": {
        "Files": "docs/formats.md",
        "Cameras": "docs/optics.md",
        "Camera files and raw frames": "docs/camera.md",
        "Many frames": "docs/many.md",
        "From the bench to the cube": "docs/bench.md",
        "Calibration": "docs/calibration.md",
        "Viewer and reports": "docs/viewer.md",
        "Live frames": "docs/watch.md",
        "Metrics": "docs/metrics.md",
        "Python": "docs/python.md",
        "Octave and MATLAB": "docs/octave.md",
        "Packages": "docs/packages.md",
        "C": "docs/c.md",
    },
    "Methods": {
        "Solvers": "docs/solvers.md",
        "Networks": "docs/networks.md",
        "Error feedback": "docs/feedback.md",
        "Prism": "docs/prism.md",
        "Engine": "docs/engine.md",
        "Training": "docs/training.md",
        "Weights files": "docs/weights.md",
        "The weights included": "models/cst-s.md",
        "The weights for any camera": "models/prism-s.md",
        "Comparison": "docs/comparison.md",
        "Ablations": "docs/ablations.md",
        "Benchmarks": "docs/benchmarks.md",
    },
    "Inside": {
        "Architecture": "docs/architecture.md",
        "Contributing": "CONTRIBUTING.md",
        "Security": "docs/security.md",
        "Reporting a hole": "SECURITY.md",
    },
    "Reference": {"Python": "reference/python.md", "C and C++": "reference/headers.md"},
}


def copy_sources(source: Path) -> None:
    """The pages, pictures, and other files that pages link to."""
    shutil.copytree(TOP / "docs", source / "docs")
    for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"):
        shutil.copy(TOP / name, source / name)
    shutil.copy(TOP / "README.md", source / "index.md")
    (source / "models").mkdir()
    for card in (TOP / "models").glob("*.md"):
        shutil.copy(card, source / "models" / ("index.md" if card.name == "README.md" else card.name))
    for page in source.rglob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            place = (page.parent / target).resolve()
            original = TOP / place.relative_to(source) if place.is_relative_to(source) else None
            if original is not None and not place.exists() and original.is_file():
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(original, place)


# The Python reference


def signature(node: ast.FunctionDef, inside: bool) -> str:
    arguments = ast.parse(ast.unparse(node)).body[0]
    assert isinstance(arguments, ast.FunctionDef)
    if inside and arguments.args.args and arguments.args.args[0].arg in ("self", "cls"):
        arguments.args.args.pop(0)
    returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({ast.unparse(arguments.args)}){returned}"


def decorators(node: ast.FunctionDef) -> set[str]:
    return {ast.unparse(decorator) for decorator in node.decorator_list}


def describe(node: ast.ClassDef) -> list[str]:
    """A class with its public methods and properties."""
    lines = [f"## {node.name}", "", ast.get_docstring(node) or "", ""]
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and (not member.name.startswith("_") or member.name == "__init__"):
            text = ast.get_docstring(member)
            if member.name == "__init__":
                lines[0:1] = [f"## {node.name}", "", "```python", signature(member, True).replace("__init__", node.name).split(" -> ")[0], "```"]
            elif "property" in decorators(member):
                lines += [f"**{member.name}** — {text}", ""]
            else:
                lines += ["```python", signature(member, True), "```", "", text or "", ""]
        elif isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name) and member.target.id[0] != "_":
            lines += [f"- `{member.target.id}: {ast.unparse(member.annotation)}`"]
    return lines + [""]


def python_reference() -> str:
    """What `snapcube` exports, in Markdown."""
    package = TOP / "python" / "snapcube"
    tree = ast.parse((package / "__init__.py").read_text())
    names = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    found: dict[str, list[str]] = {}
    for file in sorted(package.glob("_*.py")):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.ClassDef) and node.name in names:
                found[node.name] = describe(node)
            elif isinstance(node, ast.FunctionDef) and node.name in names and "overload" not in decorators(node):
                text = ast.get_docstring(node) or ""
                found[node.name] = [f"## {node.name}", "", "```python", signature(node, False), "```", "", text, ""]
    missing = set(names) - set(found) - {"__version__"}
    if missing:
        sys.exit(f"no documentation found for {', '.join(sorted(missing))}")
    lines = ["# Python reference", "", ast.get_docstring(tree) or "", ""]
    for name in sorted(found, key=str.lower):
        lines += found[name]
    text = "\n".join(lines)
    text = re.sub(r"^::\n\n", "", text, flags=re.M)  # reStructuredText's mark of code that follows
    # "Args:" and what is indented below it become lists
    text = re.sub(r"^(Args|Returns|Attributes):$", r"\n**\1**\n", text, flags=re.M)
    return re.sub(r"^    (\w+): ", r"- `\1`: ", text, flags=re.M)


# Links


class Links(html.parser.HTMLParser):
    """What a page links to, and what can be linked to in it."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name in ("href", "src"):
                self.targets.append(value)
            if value and name in ("id", "name"):
                self.anchors.add(value)


def check_links(site: Path) -> int:
    """Prints links that lead nowhere; how many there are."""
    pages: dict[Path, Links] = {}
    for path in site.rglob("*.html"):
        pages[path] = Links()
        pages[path].feed(path.read_text(errors="replace"))
    broken = checked = 0
    for path, page in pages.items():
        if path.is_relative_to(site / "reference" / "cpp") or path.name == "404.html":
            continue  # Doxygen's own
        for target in page.targets:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or parts.netloc or target.startswith("data:"):
                continue
            checked += 1
            place = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if place.is_dir():
                place /= "index.html"
            good = place.exists() and (not parts.fragment or place not in pages or parts.fragment in pages[place].anchors)
            if not good:
                print(f"{path.relative_to(site)}: nothing at {target}")
                broken += 1
    print(f"{checked} links of {len(pages)} pages checked, {broken} broken")
    return broken if checked > 100 else 1


def main() -> None:
    output = Path(sys.argv[1]).absolute()
    source, site = output / "source", output / "site"
    for folder in (source, site):
        shutil.rmtree(folder, ignore_errors=True)
    source.mkdir(parents=True)
    copy_sources(source)
    (source / "reference").mkdir()
    (source / "reference" / "python.md").write_text(python_reference())
    (source / "reference" / "headers.md").write_text(
        "# C and C++ reference\n\nMade from the headers: <a href=\"../cpp/index.html\">all of them</a>, "
        "<a href=\"../cpp/snapcube__c_8h.html\">the C API</a>.\n"
    )
    listed = {page for pages in PAGES.values() for page in pages.values()}
    others = sorted(p.relative_to(source).as_posix() for p in source.rglob("*.md"))
    more = {Path(p).stem.replace("-", " ").capitalize(): p for p in others if p not in listed}
    menu = [(title, pages) for title, pages in PAGES.items()] + ([("More", more)] if more else [])
    lines = ["site_name: Snapcube", f"docs_dir: {source}", f"site_dir: {site}", "theme: mkdocs", "use_directory_urls: true"]
    lines += ["markdown_extensions: [tables, fenced_code, toc]", "plugins: [search]", "nav:"]
    for title, pages in menu:
        lines += [f"  - {title}:"] + [f"      - {name}: {page}" for name, page in pages.items() if (source / page).exists()]
    (output / "mkdocs.yml").write_text("\n".join(lines) + "\n")
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet", "-f", str(output / "mkdocs.yml")], check=True)
    settings = (TOP / "site" / "Doxyfile").read_text() + f"INPUT = {TOP}/include/snapcube\nSTRIP_FROM_PATH = {TOP}/include\nSTRIP_FROM_INC_PATH = {TOP}/include\n"
    (site / "reference").mkdir(exist_ok=True)
    settings += f"OUTPUT_DIRECTORY = {site}/reference\nHTML_OUTPUT = cpp\n"
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True)
    sys.exit(1 if check_links(site) else 0)


if __name__ == "__main__":
    main()
