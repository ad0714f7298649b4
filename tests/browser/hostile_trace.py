"""A run whose names try to break out of the page that shows them."""
import gzip
import itertools
import json

PAYLOADS = (
    '<script>window.pwned="script"</script>',
    '</script><script>window.pwned="end of script"</script>',
    '"><img src=x onerror=window.pwned="attribute">',
    "'><svg onload=window.pwned='picture'>",
    '<!--',
    '--><b onmouseover=window.pwned="comment">',
    ']]><i>',
    '</style><style>*{display:none}</style>',
    '&lt;u&gt;&amp;',
    '{a}{b|x}{c0}',
    '${window.pwned="template"}',
    'javascript:window.pwned="address"',
)
RANKS = 2
KEPT_ARGUMENTS = ('Collective name', 'dtype')  # without these there is nothing to compute from


def write(demo, folder):
    """Writes a copy of some ranks of the demo below the folder, in one with a name of that kind. -> its path"""
    run = folder / 'runs</script><script>window.pwned="path"<'
    run.mkdir(parents=True)
    payloads = itertools.cycle(PAYLOADS)
    renamed = {}

    def hostile(text):
        if text not in renamed:
            renamed[text] = f'{text} {next(payloads)}'
        return renamed[text]

    for rank in range(RANKS):
        trace = json.loads(gzip.decompress((demo / f'rank-{rank}.json.gz').read_bytes()))
        for event in trace['traceEvents']:
            if 'name' in event and not event['name'].startswith('ProfilerStep#') and event.get('ph') != 'M':
                event['name'] = hostile(event['name'])
            for key, value in event.get('args', {}).items():
                if isinstance(value, str) and key not in KEPT_ARGUMENTS and not value.lstrip('-').isdigit():
                    event['args'][key] = hostile(value)
        for device in trace.get('deviceProperties', []):
            device['name'] = hostile(device.get('name', 'GPU'))
        (run / f'rank-{rank} "><img src=x onerror=window.pwned=1>.json').write_text(json.dumps(trace), encoding='utf-8')
    return run
