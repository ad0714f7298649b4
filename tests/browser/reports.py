"""The reports that are looked at: of the demo, of real traces where they are, of two runs, of a trace with hostile names."""
import dataclasses
import functools
import json
import pathlib
import subprocess

import hostile_trace

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
REAL = ROOT.parent / 'shared/conformance/real'  # optional: real traces beside the checkout
REAL_RUNS = ('pa-dlrm-8rank', 'tl-ddp-resnet18', 'tl-vllm-decode')


def has_chart_library():
    return any((ROOT / 'build/third_party').glob('echarts-*/echarts.min.js'))


@dataclasses.dataclass
class Page:
    name: str
    file: pathlib.Path
    interactive: bool = False    # must hold the chart library, with its notice
    thoroughly: bool = False     # look also at what does not depend on what is in it
    least_charts: int = 1
    readable: tuple = ()         # texts that must be there to read, on paper, too
    measured: str = ''


class Reports:
    """Makes reports with one hta in one folder."""

    def __init__(self, hta, folder):
        self.hta, self.folder = pathlib.Path(hta).resolve(), folder

    def run(self, *arguments):
        command = [str(self.hta), *map(str, arguments)]
        done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f'{" ".join(command)}: exit status {done.returncode}: {done.stderr}')
        return done.stdout

    def make(self, name, *arguments, **expected):
        file = self.folder / f'{name}.html'
        self.run('report', *arguments, '-o', file)
        return Page(name, file, has_chart_library(), **expected)

    def of_run(self, name, path, **expected):
        """The report of a run must say what the summary says."""
        finding = json.loads(self.run('summary', path, '-f', 'json'))['summary']['main_finding']
        return self.make(name, path, readable=(finding,), **expected)

    def demo(self):
        return self.of_run('demo', 'testdata/demo', least_charts=10, thoroughly=True)

    def comparison(self):
        runs = ('testdata/regression/base', 'testdata/regression/test')
        answer = self.run('diff', *runs).splitlines()[0]
        return self.make('comparison', '--diff', *runs, readable=(answer,), least_charts=2, thoroughly=True)

    def hostile(self):
        run = hostile_trace.write(ROOT / 'testdata/demo', self.folder)
        return self.make('hostile', run, least_charts=10, readable=hostile_trace.PAYLOADS)

    def recipes(self):
        """-> name: how to make the page; may raise RuntimeError"""
        real = {name: functools.partial(self.of_run, name, REAL / name, least_charts=3) for name in REAL_RUNS if REAL.is_dir()}
        return {'demo': self.demo, 'comparison': self.comparison, 'hostile': self.hostile, **real}
