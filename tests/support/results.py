"""Counts what the checkers find."""


class Results:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, faults):
        """faults: list of what is wrong with `what`"""
        if faults:
            self.failed += 1
            for fault in faults:
                print(f'FAIL {what}: {fault}')
        else:
            self.passed += 1
