"""A headless Chromium that opens pages from disk and tells what happened in them."""
import base64
import json
import os
import pathlib
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

CHROMIUM = '/usr/bin/chromium'
DRIVER = '/usr/bin/chromedriver'
PROBES = (pathlib.Path(__file__).parent / 'probes.js').read_text(encoding='utf-8')
HEIGHT = 900
KEYS = {  # name: (DOM key, code, virtual key code, text)
    'Tab': ('Tab', 'Tab', 9, ''),
    'Enter': ('Enter', 'Enter', 13, '\r'),
    '+': ('+', 'NumpadAdd', 107, '+'),
    '0': ('0', 'Digit0', 48, '0'),
}


class Browser:
    """One window. Use it as a context: it ends with it."""

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(prefix='hta-browser-')
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for flag in ('--headless=new', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
                     '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--hide-scrollbars',
                     f'--user-data-dir={self.profile.name}'):
            options.add_argument(flag)
        if os.getuid() == 0:
            options.add_argument('--no-sandbox')
        options.set_capability('goog:loggingPrefs', {'browser': 'ALL', 'performance': 'ALL'})
        self.driver = webdriver.Chrome(service=Service(DRIVER), options=options)
        self.cdp('Page.addScriptToEvaluateOnNewDocument', source=PROBES)
        return self

    def __exit__(self, *_):
        self.driver.quit()
        self.profile.cleanup()

    def cdp(self, command, **arguments):
        return self.driver.execute_cdp_cmd(command, arguments)

    def open(self, file, width=1280, scheme='light', media='', scripts=True):
        """Opens a file in a window of that width; a narrow one is a telephone's. What was logged before is forgotten."""
        self.resize(width, mobile=width < 600)
        self.cdp('Emulation.setEmulatedMedia', media=media, features=[
            {'name': 'prefers-color-scheme', 'value': scheme}, {'name': 'prefers-reduced-motion', 'value': 'reduce'}])
        self.cdp('Emulation.setScriptExecutionDisabled', value=not scripts)
        self.driver.get('about:blank')
        self.address = file.resolve().as_uri()
        self.driver.get_log('browser')
        self.driver.get_log('performance')
        self.driver.get(self.address)
        if not scripts:
            self.cdp('Runtime.evaluate', expression=PROBES)

    def resize(self, width, mobile=False):
        self.cdp('Emulation.setDeviceMetricsOverride', width=width, height=HEIGHT, deviceScaleFactor=1, mobile=mobile)

    def probe(self, name, *arguments):
        """Calls a function of probes.js in the page and waits for what it returns."""
        call = f'probes.{name}(...{json.dumps(arguments)})'
        answer = self.cdp('Runtime.evaluate', expression=call, awaitPromise=True, returnByValue=True)
        if problem := answer.get('exceptionDetails'):
            raise RuntimeError(f'{call}: {problem.get("exception", problem).get("description", problem)}')
        return answer['result'].get('value')

    def console(self):
        """-> lines of the console since the page was opened, with their level."""
        return [(entry['level'], entry['message']) for entry in self.driver.get_log('browser')]

    def requests(self):
        """-> the addresses that were asked for since the page was opened."""
        messages = [json.loads(entry['message'])['message'] for entry in self.driver.get_log('performance')]
        return [message['params']['request']['url'] for message in messages if message['method'] == 'Network.requestWillBeSent']

    def press(self, name):
        key, code, number, text = KEYS[name]
        common = {'key': key, 'code': code, 'windowsVirtualKeyCode': number}
        self.cdp('Input.dispatchKeyEvent', type='keyDown', text=text, **common)
        self.cdp('Input.dispatchKeyEvent', type='keyUp', **common)

    def move_mouse(self, x, y):
        self.cdp('Input.dispatchMouseEvent', type='mouseMoved', x=x, y=y)

    def print_pdf(self):
        return base64.b64decode(self.cdp('Page.printToPDF', printBackground=True)['data'])

    def screenshot(self, file):
        """Of the whole page, not only of what the window shows."""
        picture = self.cdp('Page.captureScreenshot', captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(picture['data']))
