#!/usr/bin/env python3
"""Man pages and shell completion from what `--help` says.

    from_help.py OUTPUT VERSION PROGRAM [TRAINING_PROGRAM]

Writes OUTPUT/man/NAME.1 for the program and for each of its commands (snapcube-reconstruct.1), OUTPUT/snapcube.bash and
OUTPUT/_snapcube (zsh). Nothing is kept by hand: what the programs say is what the pages say.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Option:
    names: list[str]
    argument: str
    description: str


@dataclass
class Help:
    summary: str
    usage: str
    #: (heading, lines) in the order of the text
    sections: list[tuple[str, list[str]]]
    options: list[Option] = field(default_factory=list)
    commands: dict[str, str] = field(default_factory=dict)


def help_of(*command: str) -> Help:
    text = subprocess.run([*command, "--help"], capture_output=True, text=True, check=True).stdout
    lines = text.rstrip().split("\n")
    usage = next(i for i, line in enumerate(lines) if line.startswith("Usage:"))
    found = Help(" ".join(lines[:usage]).strip(), lines[usage][len("Usage:") :].strip(), [])
    heading = ""
    body: list[str] = []
    for before, line, after in zip(lines[usage:], lines[usage + 1 :], [*lines[usage + 2 :], ""]):
        # a heading stands alone, above something indented: "Options:", "Weights files (.pth): where they do not tell:"
        if re.fullmatch(r"[A-Z].{0,80}:", line) and not before.strip() and after.startswith("  "):
            found.sections.append((heading, body))
            heading, body = line[:-1], []
        else:
            body.append(line)
    found.sections.append((heading, body))
    for title, content in found.sections:
        for entry in entries(content):
            head, description = entry
            if head.startswith("-"):
                words = head.split(" ")
                found.options.append(Option(words[0].split(","), " ".join(words[1:]), description))
            elif title == "Subcommands":
                found.commands[head.split(" ")[0]] = description
    return found


def entries(lines: list[str]) -> list[tuple[str, str]]:
    """("--seed N", "of the noise [1]") of a table as CLI11 prints it: two blanks, the name, its text from column 30 on."""
    result: list[tuple[str, str]] = []
    for line in lines:
        start = re.match(r"  (\S.*?)(?:\s{2,}(\S.*))?$", line)
        if start:
            result.append((start.group(1), start.group(2) or ""))
        elif re.match(r"\s{12,}\S", line) and result:
            head, description = result[-1]
            result[-1] = head, (description + " " + line.strip()).strip()
    return result


# Man pages


def roff(text: str) -> str:
    """Text in which nothing is a request of roff."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def man_page(name: str, version: str, shown: Help, others: list[str]) -> str:
    summary = shown.summary.rstrip(".") or name
    page = [
        f'.TH {name.upper()} 1 "" "Snapcube {version}" "User Commands"',
        ".SH NAME",
        f"{roff(name)} \\- {roff(summary)}",
        ".SH SYNOPSIS",
        roff(shown.usage),
    ]
    for heading, lines in shown.sections:
        if not any(line.strip() for line in lines):
            continue
        table = entries(lines)
        page.append(f".SH {roff(heading.upper()) if heading else 'DESCRIPTION'}")
        if table and heading not in ("", "Examples") and all(not line or line.startswith("  ") for line in lines):
            for head, description in table:
                page += [".TP", f"\\fB{roff(head)}\\fR", roff(description) or "\\&"]
        else:
            page += [".nf", *(roff(line) for line in lines), ".fi"]
    page += [".SH EXIT STATUS", "0: done. 1: something failed. 2: bad input or usage. 130: interrupted."]
    if others:
        page += [".SH SEE ALSO", ", ".join(f"\\fB{roff(other)}\\fR(1)" for other in others)]
    return "\n".join(page) + "\n"


# Completion


def bash_completion(helps: dict[str, Help]) -> str:
    """Commands after the program, then the command's options, else files."""
    cases = "\n".join(
        f'    {name}) words="{" ".join(n for option in shown.options for n in option.names)}" ;;'
        for name, shown in helps.items()
    )
    return f"""# bash completion of snapcube; made from its --help
_snapcube() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} words
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "{' '.join(helps)} --help --version" -- "$current")
    return
  fi
  [[ $current == -* ]] || return
  case ${{COMP_WORDS[1]}} in
{cases}
    *) return ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -o default -F _snapcube snapcube
"""


def zsh_text(text: str) -> str:
    for sign in "\\'":
        text = text.replace(sign, "")
    return text.replace("[", "(").replace("]", ")").replace(":", "\\:")


def zsh_completion(helps: dict[str, Help]) -> str:
    commands = "\n".join(f"    '{name}:{zsh_text(shown.summary)}'" for name, shown in helps.items())
    cases = []
    for name, shown in helps.items():
        lines = []
        for option in shown.options:
            for spelling in option.names:
                value = ":value:_files" if option.argument else ""
                lines.append(f"      '{spelling}[{zsh_text(option.description)}]{value}'")
        cases.append(f"    {name}) _arguments \\\n" + " \\\n".join([*lines, "      '*:file:_files'"]) + " ;;")
    return (
        "#compdef snapcube\n# zsh completion of snapcube; made from its --help\n"
        "_snapcube() {\n  local -a commands\n  commands=(\n" + commands + "\n  )\n"
        "  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n"
        "  local command=$words[2]\n  shift words\n  ((CURRENT--))\n  case $command in\n" + "\n".join(cases) + "\n"
        "    *) _files ;;\n  esac\n}\n_snapcube \"$@\"\n"
    )


def main() -> None:
    output, version, program, *training = sys.argv[1:]
    man = Path(output) / "man"
    man.mkdir(parents=True, exist_ok=True)
    top = help_of(program)
    helps = {name: help_of(program, name) for name in top.commands}
    if not helps:
        sys.exit(f"{program} --help lists no commands: has its form changed?")
    pages = {"snapcube": (top, [f"snapcube-{name}" for name in helps])}
    for name, shown in helps.items():
        if not shown.options:
            sys.exit(f"{program} {name} --help lists no options: has its form changed?")
        pages[f"snapcube-{name}"] = (shown, ["snapcube"])
    if training:
        pages["snapcube-train"] = (help_of(training[0]), ["snapcube"])
        helps["train"] = pages["snapcube-train"][0]
    for name, (shown, others) in pages.items():
        (man / f"{name}.1").write_text(man_page(name, version, shown, others))
    (Path(output) / "snapcube.bash").write_text(bash_completion(helps))
    (Path(output) / "_snapcube").write_text(zsh_completion(helps))


main()
