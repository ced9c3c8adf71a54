# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the commands of many cases in one process: each case continues when it has its answer. Starting a process takes
longer than answering a question, ten times as long with sanitizers."""

import threading


class Together:
    """Runs cases, each in a thread of its own; answer takes a list of questions and gives a list of answers, of which
    exceptions are raised where the question was asked."""

    def __init__(self, answer):
        self.answer = answer
        self.condition = threading.Condition()
        self.local = threading.local()
        self.n_going = 0
        self.waiting = {}

    def ask(self, question):
        """For a case, which waits until all others do as well, or have ended."""
        place = [question, None]
        with self.condition:
            self.waiting[self.local.number] = place
            self.n_going -= 1
            self.condition.notify_all()
            self.condition.wait_for(lambda: place[1] is not None)
        if isinstance(place[1], Exception):
            raise place[1]
        return place[1]

    def _go(self, number, case):
        self.local.number = number
        try:
            case()
        finally:
            with self.condition:
                self.n_going -= 1
                self.condition.notify_all()

    def run(self, cases):
        """Until all have ended. Which questions come together, and in which order, is the same each time."""
        self.n_going = len(cases)
        threads = [threading.Thread(target=self._go, args=pair) for pair in enumerate(cases)]
        for thread in threads:
            thread.start()
        with self.condition:
            while True:
                self.condition.wait_for(lambda: self.n_going == 0)
                places = [place for _, place in sorted(self.waiting.items())]
                self.waiting.clear()
                if not places:
                    break
                for place, answer in zip(places, self.answer([place[0] for place in places]), strict=True):
                    place[1] = answer
                self.n_going = len(places)
                self.condition.notify_all()
        for thread in threads:
            thread.join()
