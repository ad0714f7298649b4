#!/usr/bin/env python3
"""Writes a small trace from a few lines of text, for the setups of golden cases: sketch.py FILE < LINES

    gpu LAUNCH START+DUR NAME            a kernel and the call that launches it; LAUNCH is when that begins, or - for none
    gpu LAUNCH START+DUR CAT: NAME       the same of another category: gpu_memcpy, gpu_memset
    host START+DUR CAT: NAME             a host event: cpu_op, python_function, cuda_runtime, user_annotation
    memory TIME BYTES TOTAL              an allocation on device 0, and what is allocated then
    args JSON                            arguments of the event before
    head JSON                            members of the document, such as distributedInfo
    # a comment
Times are microseconds. Launch calls take 2 and are called cudaLaunchKernel; everything is on one thread and stream, unless
a line ends with @STREAM.
"""
import json
import sys


def event(category, name, time, **more):
    start, dur = (float(part) for part in time.split('+'))
    return {'ph': 'X', 'cat': category, 'name': name, 'pid': 1, 'tid': 1, 'ts': start, 'dur': dur} | more


def split_category(text, usual):
    category, colon, name = text.partition(': ')
    return (category, name) if colon and ' ' not in category else (usual, text)


def main():
    document, events, correlation = {'schemaVersion': 1}, [], 0
    for line in sys.stdin:
        kind, _, rest = line.strip().partition(' ')
        if kind == 'gpu':
            launch, time, name = rest.split(' ', 2)
            name, _, stream = name.partition(' @')
            category, name = split_category(name, 'kernel')
            arguments = {'device': 0, 'stream': int(stream or 7)}
            if launch != '-':
                correlation += 1
                arguments['correlation'] = correlation
                events.append(event('cuda_runtime', 'cudaLaunchKernel', f'{launch}+2', args={'correlation': correlation}))
            events.append(event(category, name, time, pid=0, tid=arguments['stream'], args=arguments))
        elif kind == 'host':
            time, name = rest.split(' ', 1)
            events.append(event(*split_category(name, 'cpu_op'), time))
        elif kind == 'memory':
            time, change, total = (int(number) for number in rest.split())
            events.append({'ph': 'i', 'cat': 'cpu_instant_event', 'name': '[memory]', 'pid': 1, 'tid': 1, 'ts': time, 's': 't',
                           'args': {'Device Type': 1, 'Device Id': 0, 'Addr': 1, 'Bytes': change, 'Total Allocated': total,
                                    'Total Reserved': total}})
        elif kind == 'args':
            events[-1].setdefault('args', {}).update(json.loads(rest))
        elif kind == 'head':
            document |= json.loads(rest)
        elif kind and not kind.startswith('#'):
            sys.exit(f'sketch: what is "{line.strip()}"?')
    document['traceEvents'] = events
    with open(sys.argv[1], 'w', encoding='utf-8') as file:
        json.dump(document, file, separators=(',', ':'))


if __name__ == '__main__':
    main()
