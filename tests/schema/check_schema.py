#!/usr/bin/env python3
"""Checks that the JSON of every command is what `hta schema` promises.

    check_schema.py --hta build/release/hta [PATH...]

Runs every command of `hta --help` that knows --format, on testdata/demo unless other paths are given, and validates the
document against the schema; it must be one JSON document without NaN, infinity or repeated keys, and each of its rows
must have a cell of the right type for every column.
"""
import argparse
import json
import pathlib
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    sys.exit('check_schema: error: no jsonschema for this Python; scripts/setup --tests installs it for /usr/bin/python3')

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'tests/docs'))
from check_docs import commands_in, options_in  # noqa: E402

# Arguments of commands that take something else than one run, each a list of its own; PATH stands for the trace.
ARGUMENTS = {
    'check': [['PATH', '--fail-on', 'step_time>10s']],
    'report': [],  # writes HTML
    'schema': [],  # is no result
    'diff': [['PATH', 'PATH']],
}
# 1 is the verdict of a gate: the document is complete.
GOOD_STATUS = (0, 1)
JSON_TYPES = {'int': (int, str), 'float': (int, float), 'string': (str,), 'bool': (bool, int)}


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors='strict', check=False)


def strict(text):
    def no_repeats(pairs):
        keys = [key for key, _ in pairs]
        if len(set(keys)) != len(keys):
            raise ValueError(f'a key twice in one object: {", ".join(keys)}')
        return dict(pairs)

    def no_constants(name):
        raise ValueError(f'{name} is not JSON')
    return json.loads(text, object_pairs_hook=no_repeats, parse_constant=no_constants)


def faults_of_rows(document):
    for name, table in document.get('tables', {}).items():
        columns = table['columns']
        for number, row in enumerate(table['rows']):
            if len(row) != len(columns):
                yield f'table {name}, row {number}: {len(row)} cells, {len(columns)} columns'
                continue
            for column, cell in zip(columns, row):
                types = JSON_TYPES.get(column['type'])
                if types and cell is not None and (not isinstance(cell, types) or isinstance(cell, bool) and bool not in types):
                    yield f'table {name}, row {number}, column {column["name"]}: {cell!r} is no {column["type"]}'


def check(hta, validator, command, arguments):
    """-> list of faults"""
    done = run(hta, command, *arguments, '--format', 'json')
    if done.returncode not in GOOD_STATUS:
        return [f'exit status {done.returncode}: {done.stderr.strip()}']
    try:
        document = strict(done.stdout)
    except ValueError as fault:
        return [str(fault)]
    faults = [f'{"/".join(str(step) for step in error.absolute_path) or "document"}: {error.message[:300]}'
              for error in sorted(validator.iter_errors(document), key=lambda error: list(map(str, error.absolute_path)))]
    if document.get('command') != command:
        faults.append(f'"command" is {document.get("command")!r}')
    return faults or list(faults_of_rows(document))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--hta', required=True, help='the program')
    parser.add_argument('paths', nargs='*', default=[str(ROOT / 'testdata/demo')])
    options = parser.parse_args()
    done = run(options.hta, 'schema')
    if done.returncode != 0:
        sys.exit(f'check_schema: error: hta schema: exit status {done.returncode}: {done.stderr.strip()}')
    schema = strict(done.stdout)
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    validator = kind(schema)

    passed = failed = 0
    commands = [command for command in commands_in(run(options.hta, '--help').stdout)
                if '--format' in options_in(run(options.hta, command, '--help').stdout)]
    if not commands:
        sys.exit('check_schema: error: hta --help lists no command that knows --format')
    for command in commands:
        for path in options.paths:
            for arguments in ARGUMENTS.get(command, [['PATH']]):
                arguments = [path if argument == 'PATH' else argument for argument in arguments]
                faults = check(options.hta, validator, command, arguments)
                passed, failed = passed + (not faults), failed + bool(faults)
                for fault in faults[:5]:
                    print(f'FAIL hta {command} {" ".join(arguments)}: {fault}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
