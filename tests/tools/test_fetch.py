#!/usr/bin/env python3
"""Tests of scripts/fetch-echarts, in a tree of its own, against a registry on this machine."""
import base64
import hashlib
import http.server
import io
import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIBRARY = b'/* notices */ var echarts = {};\n'
UNREACHABLE = 'http://127.0.0.1:9'


def package(library=LIBRARY):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode='w:gz') as tar:
        for name, content in (('package/dist/echarts.min.js', library), ('package/index.js', b'no')):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


class Registry(http.server.ThreadingHTTPServer):
    """Serves one package at one path and counts who asks."""

    def __init__(self, path, content):
        self.path, self.content, self.asked = path, content, 0
        super().__init__(('127.0.0.1', 0), Answer)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f'http://127.0.0.1:{self.server_address[1]}/npm'


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked += 1
        if self.path == self.server.path:
            self.send_response(200)
            self.send_header('Content-Length', str(len(self.server.content)))
            self.end_headers()
            self.wfile.write(self.server.content)
        else:
            self.send_error(404)

    def log_message(self, *_):
        pass


class FetchEcharts(unittest.TestCase):
    def setUp(self):
        keeper = tempfile.TemporaryDirectory()
        self.addCleanup(keeper.cleanup)
        self.root = pathlib.Path(keeper.name)
        (self.root / 'scripts').mkdir()
        shutil.copy(ROOT / 'scripts/fetch-echarts', self.root / 'scripts')
        self.packed = package()
        self.pin('1.2.3', self.packed)
        self.registry = Registry('/npm/echarts/-/echarts-1.2.3.tgz', self.packed)
        self.addCleanup(self.registry.server_close)
        self.addCleanup(self.registry.shutdown)

    def pin(self, version, packed):
        lock = json.loads((ROOT / 'third_party/echarts/package-lock.json').read_text(encoding='utf-8'))
        integrity = 'sha512-' + base64.b64encode(hashlib.sha512(packed).digest()).decode()
        lock['packages']['node_modules/echarts'] |= {'version': version, 'integrity': integrity}
        (self.root / 'third_party/echarts').mkdir(parents=True, exist_ok=True)
        (self.root / 'third_party/echarts/package-lock.json').write_text(json.dumps(lock, indent=2), encoding='utf-8')

    def fetch(self, *options, registry=None):
        """-> (exit status, standard error). Without a registry it is the one of ~/.npmrc."""
        environment = {name: value for name, value in os.environ.items() if 'npm' not in name.lower() and 'proxy' not in name.lower()}
        environment |= {'HOME': str(self.root)} | ({'npm_config_registry': registry} if registry else {})
        done = subprocess.run([self.root / 'scripts/fetch-echarts', *options], env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout, '')
        return done.returncode, done.stderr

    def fetched(self):
        return {str(file.relative_to(self.root / 'build/third_party')): file.read_bytes()
                for file in (self.root / 'build/third_party').rglob('*') if file.is_file()}

    def test_what_is_pinned_is_fetched_once_and_silently(self):
        self.assertEqual(self.fetch(registry=self.registry.address), (0, ''))
        self.assertEqual(self.fetched(), {'echarts-1.2.3/echarts.min.js': LIBRARY})
        self.assertEqual(self.fetch(registry=self.registry.address), (0, ''))
        self.assertEqual(self.registry.asked, 1)

    def test_the_registry_of_npmrc_is_used(self):
        (self.root / '.npmrc').write_text(f'fund=false\nregistry={self.registry.address}/\n', encoding='utf-8')
        self.assertEqual(self.fetch(), (0, ''))
        self.assertEqual(self.registry.asked, 1)

    def test_a_package_with_another_hash_is_refused(self):
        self.registry.content = package(LIBRARY + b'evil()')
        status, said = self.fetch(registry=self.registry.address)
        self.assertEqual(status, 1)
        self.assertIn('its SHA-512 differs', said)
        self.assertEqual(self.fetched(), {'echarts-1.2.3.failed': b''})

    def test_without_a_registry_there_is_one_line_an_hour(self):
        status, said = self.fetch('--if-due', registry=UNREACHABLE)
        self.assertEqual((status, said.count('\n')), (1, 1))
        self.assertIn('only static ones', said)
        self.assertEqual(self.fetch('--if-due', registry=UNREACHABLE), (0, ''))
        self.assertEqual(self.fetch(registry=UNREACHABLE), (1, said))
        failed = self.root / 'build/third_party/echarts-1.2.3.failed'
        os.utime(failed, (failed.stat().st_mtime - 3700,) * 2)
        self.assertEqual(self.fetch('--if-due', registry=UNREACHABLE), (1, said))

    def test_a_version_that_the_registry_does_not_have(self):
        self.pin('9.9.9', self.packed)
        status, said = self.fetch(registry=self.registry.address)
        self.assertEqual((status, said.count('\n')), (1, 1))
        self.assertIn('404', said)

    def test_after_a_failure_the_next_success_counts(self):
        self.fetch(registry=UNREACHABLE)
        self.assertEqual(self.fetch(registry=self.registry.address), (0, ''))
        self.assertEqual(self.fetched(), {'echarts-1.2.3/echarts.min.js': LIBRARY})


if __name__ == '__main__':
    unittest.main()
