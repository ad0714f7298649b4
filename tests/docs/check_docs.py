#!/usr/bin/env python3
"""Checks that the documentation says what hta does.

    check_docs.py --hta build/release/hta [--rewrite]

  * every command in `hta --help` has a page man/hta-<command>.1 that names every option in `hta <command> --help`
    (options of all commands may stand in man/hta.1, when the page refers to it);
  * mandoc finds nothing to warn of in the pages;
  * docs/output.md has a section for every command with tables, which names every table and column of
    `hta <command> --table help`;
  * commands in ```console blocks of *.md and docs/*.md that run hta on testdata/ exit with 0 and print what the block
    shows; a line `...` or `…` in a block stands for any number of lines. --rewrite puts in what they print now
    (not into blocks with such a line);
  * the tables in docs/performance.md are there, and of commands that exist;
  * links between files and to headings lead somewhere;
  * every file in testdata/ is in testdata/README.md, by its path or by the path of its folder, `demo/`.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'tests/support'))
from results import Results  # noqa: E402

ELLIPSIS = ('...', '…')
NO_TABLES = {'report', 'schema'}  # commands that take the options of all and have no table


def run(*command, **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors='replace', check=False, **more)


# ---- commands, options, tables -------------------------------------------------------------------------------------
def commands_in(help_text):
    """Lines such as `  idle    why is the GPU idle?` under any heading but one about options."""
    found, heading = [], ''
    for line in help_text.splitlines():
        if re.match(r'^\S.*:\s*$', line):
            heading = line.lower()
        match = re.match(r'^\s{2,}([a-z][a-z0-9-]*)(?:,\s*\w+)?\s{2,}\S', line)
        if match and not re.search(r'option|exit|environment|example', heading):
            found.append(match.group(1))
    return found


def options_in(help_text):
    """The option names at the beginning of lines: `  -n,--top N    ...`."""
    found = []
    for line in help_text.splitlines():
        match = re.match(r'^\s+(-{1,2}[A-Za-z][\w-]*(?:\s*,\s*-{1,2}[A-Za-z][\w-]*)*)', line)
        if match:
            found += re.split(r'\s*,\s*', match.group(1))
    return found


def tables_in(table_help):
    """-> {table: [column]} from lines `NAME  COLUMN, COLUMN, ...`, possibly with a remark in () or [] and wrapped."""
    tables, name = {}, None
    for line in table_help.splitlines():
        match = re.match(r'^\s*([a-z][a-z0-9_]*)(?:\s*\([^)]*\))?(?:\s{2,}|\t|:\s+)(\S.*)$', line)
        if match and (not line.startswith('    ') or name is None):
            name, text = match.groups()
            tables[name] = []
        elif name and re.match(r'^\s+\S', line):
            text = line
        else:
            name = None
            continue
        columns = re.sub(r'[\[\]]', '', re.sub(r'\([^)]*\)', '', text))
        tables[name] += [word for word in re.split(r'[,\s]+', columns) if re.fullmatch(r'[a-z][a-z0-9_]*', word)]
    return tables


def page_text(page):
    """A man page as plain text."""
    done = run('mandoc', '-T', 'ascii', '-O', 'width=300', str(page))
    return re.sub(r'.\x08', '', done.stdout)


def names(text, word):
    return re.search(rf'(?<![\w-]){re.escape(word)}(?![\w-])', text) is not None


def sections(markdown):
    """-> {heading in lower case, without backticks: text below it, up to a heading of the same or a higher level}"""
    found, open_sections = {}, []
    for line in markdown.splitlines():
        match = re.match(r'^(#+)\s+(.*?)\s*#*$', line)
        if match:
            level = len(match.group(1))
            open_sections = [(depth, title) for depth, title in open_sections if depth < level]
            title = match.group(2).replace('`', '').lower()
            found.setdefault(title, '')
            open_sections.append((level, title))
        for _, title in open_sections:
            found[title] += line + '\n'
    return found


def check_commands(hta, results):
    done = run(hta, '--help')
    commands = commands_in(done.stdout)
    results.check('hta --help', [f'exit status {done.returncode}'] * (done.returncode != 0) + ['lists no command'] * (not commands))
    main_page = ROOT / 'man/hta.1'
    main_text = page_text(main_page) if main_page.is_file() else ''
    results.check('man/hta.1', [] if main_text else ['is missing'])
    results.check('man/hta.1', [f'does not name the command {command}' for command in commands if not names(main_text, command)])
    results.check('man/hta.1', [f'does not name {option}' for option in options_in(done.stdout) if not names(main_text, option)])
    output_md = ROOT / 'docs/output.md'
    output_sections = sections(output_md.read_text(encoding='utf-8')) if output_md.is_file() else {}
    results.check('docs/output.md', [] if output_sections else ['is missing'])
    for command in commands:
        check_page(hta, command, main_text, results)
        check_tables(hta, command, output_sections, results)
    for page in sorted((ROOT / 'man').glob('hta-*.1')):
        command = page.stem.removeprefix('hta-')
        known = command in commands or command.split('-')[0] in commands or command == 'tracegen'
        results.check(f'man/{page.name}', [] if known else ['describes no command of hta --help'])


def check_page(hta, command, main_text, results):
    page = ROOT / f'man/hta-{command}.1'
    done = run(hta, command, '--help')
    if done.returncode != 0:
        results.check(f'hta {command} --help', [f'exit status {done.returncode}: {done.stderr.strip()}'])
        return
    if not page.is_file():
        results.check(f'man/{page.name}', ['is missing'])
        return
    text = page_text(page)
    if 'hta(1)' in text:
        text += main_text
    results.check(f'man/{page.name}', [f'does not name {option}' for option in options_in(done.stdout) if not names(text, option)])


def check_tables(hta, command, output_sections, results):
    if command in NO_TABLES or '--table' not in options_in(run(hta, command, '--help').stdout):
        return
    done = run(hta, command, '--table', 'help')
    tables = tables_in(done.stdout)
    if done.returncode != 0 or not tables:
        results.check(f'hta {command} --table help', [f'exit status {done.returncode}, {len(tables)} tables'])
        return
    title = next((title for title in (command, f'hta {command}') if title in output_sections), None)
    if title is None:
        results.check('docs/output.md', [f'no section "{command}"'])
        return
    section = output_sections[title]
    # A table with a heading of its own is looked up there, so that a column of another table does not pass for its own.
    own = {re.sub(r'\s*\(.*\)$', '', name): text for name, text in sections(section).items()}
    for table, columns in tables.items():
        place = own.get(table, section)
        unnamed = [column for column in columns if not names(place, column)]
        faults = [] if names(section, table) else ['is not named']
        faults += [f'columns not named: {", ".join(unnamed)}'] if unnamed else []
        results.check(f'docs/output.md, {command}: table {table}', faults)


def check_mandoc(results):
    for page in sorted((ROOT / 'man').glob('*.1')):
        done = run('mandoc', '-T', 'lint', '-W', 'warning', str(page))
        said = [line for line in done.stdout.splitlines() if not re.search(r': STYLE: ', line)]
        results.check(f'man/{page.name}', said if done.returncode else [])


# ---- commands shown in Markdown ------------------------------------------------------------------------------------
CONSOLE = re.compile(r'^```console\n(.*?)^```$', re.DOTALL | re.MULTILINE)


def commands_shown(block):
    """-> list of (command, lines shown below it)"""
    shown = []
    lines = iter(block.splitlines())
    for line in lines:
        if line.startswith('$ '):
            command = line[2:]
            while command.endswith('\\'):
                command += '\n' + next(lines, '')
            shown.append((command, []))
        elif shown:
            shown[-1][1].append(line)
    return shown


def matches(expected, got):
    """Both lists of lines; `...` in expected stands for any lines."""
    pattern = ''.join('(?:.*\n)*' if line.strip() in ELLIPSIS else re.escape(line.rstrip()) + '\n' for line in expected)
    return re.fullmatch(pattern, ''.join(line.rstrip() + '\n' for line in got)) is not None


def check_markdown_commands(hta, rewrite, results):
    folder = pathlib.Path(tempfile.mkdtemp(prefix='hta-docs-'))
    try:
        for entry in ROOT.iterdir():  # what a command writes must not land in the source tree
            if entry.name not in ('.git', 'build'):
                (folder / entry.name).symlink_to(entry)
        (folder / '.bin').mkdir()
        (folder / '.bin/hta').symlink_to(pathlib.Path(hta).resolve())
        environment = {name: value for name, value in os.environ.items() if name not in ('NO_COLOR', 'CLICOLOR', 'COLUMNS')}
        environment |= {'PATH': f'{folder}/.bin:{environment["PATH"]}', 'LC_ALL': 'C.UTF-8', 'COLUMNS': '100'}
        for document in sorted(ROOT.glob('*.md')) + sorted((ROOT / 'docs').glob('**/*.md')):
            text = document.read_text(encoding='utf-8')
            new = CONSOLE.sub(lambda match: check_block(match, document, folder, environment, rewrite, results), text)
            if rewrite and new != text:
                document.write_text(new, encoding='utf-8')
                print(f'rewrote {document.relative_to(ROOT)}')
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def check_block(match, document, folder, environment, rewrite, results):
    """-> the block as it should be"""
    block = match.group(1)
    for command, expected in commands_shown(block):
        if not re.search(r'(?<![\w/.-])(?:scripts/)?hta\s', command) or 'testdata/' not in command:
            continue
        line = document.read_text(encoding='utf-8')[:match.start()].count('\n') + 1
        what = f'{document.relative_to(ROOT)}, block at line {line}: {command}'
        done = run('bash', '-c', re.sub(r'(?<![\w/.-])(?:\./)?scripts/hta(?=\s)', 'hta', command), cwd=folder, env=environment)
        faults = [f'exit status {done.returncode}: {done.stderr.strip()}'] if done.returncode != 0 else []
        got = done.stdout.splitlines()
        while expected and not expected[-1].strip():
            expected.pop()
        if expected and not faults and not matches(expected, got):
            if rewrite and not any(line.strip() in ELLIPSIS for line in expected):
                block = block.replace('\n'.join(expected), '\n'.join(line.rstrip() for line in got), 1)
            else:
                faults.append('prints something else than the block shows:\n' + '\n'.join('    ' + line for line in got[:40]))
        results.check(what, faults)
    return f'```console\n{block}```'


# ---- links, test data ----------------------------------------------------------------------------------------------
def anchors_of(markdown):
    """Anchors of headings as GitHub makes them."""
    found, seen = set(), {}
    for title in re.findall(r'^#+\s+(.*?)\s*#*$', re.sub(r'^```.*?^```$', '', markdown, flags=re.DOTALL | re.MULTILINE), re.MULTILINE):
        anchor = re.sub(r'[^\w\- ]', '', re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', title).lower()).replace(' ', '-')
        seen[anchor] = seen.get(anchor, -1) + 1
        found.add(anchor if not seen[anchor] else f'{anchor}-{seen[anchor]}')
    return found


def check_links(results):
    for document in sorted(file for file in ROOT.glob('**/*.md')
                           if file.relative_to(ROOT).parts[0] not in ('build', '.git', 'node_modules')):
        text = document.read_text(encoding='utf-8')
        prose = re.sub(r'^```.*?^```$|`[^`\n]*`', '', text, flags=re.DOTALL | re.MULTILINE)
        faults = []
        for link in re.findall(r'\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)', prose):
            if re.match(r'^[a-z][a-z0-9+.-]*:', link):
                continue
            path, _, anchor = link.partition('#')
            target = document if not path else (document.parent / path).resolve()
            if not target.exists() or ROOT not in (target, *target.parents):
                faults.append(f'link to {link}: there is no such file in the project')
            elif anchor and target.suffix == '.md' and anchor not in anchors_of(target.read_text(encoding='utf-8')):
                faults.append(f'link to {link}: no such heading')
        results.check(f'{document.relative_to(ROOT)}', faults)


def check_testdata(results):
    folder = ROOT / 'testdata'
    readme = folder / 'README.md'
    if not readme.is_file():
        results.check('testdata/README.md', ['is missing'])
        return
    listed = set(re.findall(r'`(?:testdata/)?([^`\s]+)`', readme.read_text(encoding='utf-8')))
    files = [file.relative_to(folder) for file in sorted(folder.rglob('*')) if file.is_file() and file != readme]
    for file in files:
        places = {file.as_posix()} | {f'{parent.as_posix()}/' for parent in file.parents if parent.name}
        results.check(f'testdata/{file}', [] if places & listed else ['is not in testdata/README.md'])
    for name in sorted(listed):
        if re.search(r'\.(?:json|gz|txt|csv)$|/$', name) and not re.search(r'[*<]', name):
            results.check(f'testdata/README.md: {name}', [] if (folder / name).exists() else ['there is no such file'])


# ---- measurements --------------------------------------------------------------------------------------------------
def check_performance(hta, results):
    document = ROOT / 'docs/performance.md'
    rows = re.findall(r'^\| `hta(?:-zlib)? ([a-z-]+)[^`]*` \| [\d.]+ \|', document.read_text(encoding='utf-8'), re.MULTILINE)
    known = commands_in(run(hta, '--help').stdout)
    faults = [f'measures hta {command}, which is no command' for command in sorted(set(rows) - set(known))]
    results.check('docs/performance.md', faults if rows else ['has no measurements; scripts/bench --write puts them in'])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--hta', required=True, help='the program')
    parser.add_argument('--rewrite', action='store_true', help='put what commands print now into the console blocks')
    options = parser.parse_args()
    if not shutil.which('mandoc'):
        sys.exit('check_docs: error: mandoc is missing; scripts/setup --tests installs it')
    results = Results()
    check_commands(options.hta, results)
    check_mandoc(results)
    check_markdown_commands(options.hta, options.rewrite, results)
    check_performance(options.hta, results)
    check_links(results)
    check_testdata(results)
    print(f'{results.passed} passed, {results.failed} failed')
    return 1 if results.failed else 0


if __name__ == '__main__':
    sys.exit(main())
