# SPDX-License-Identifier: GPL-3.0-or-later
"""What the trainings share: learning rate by step, averaged weights, a state on disk that any step resumes from."""
import math
import os
import signal
import time

import torch

from .differentiation import differentiated
from .optimiser import AveragedAdamW


def add_training_options(parser, steps, lr):
    parser.add_argument("--out", required=True, help="checkpoint; training resumes from it when it exists")
    parser.add_argument("--init", help="checkpoint whose weights a new training starts from")
    parser.add_argument("--steps", type=int, default=steps, help="of the whole training")
    parser.add_argument("--minutes", type=float, default=math.inf, help="save and stop after these; go on by the same command")
    parser.add_argument("--lr", type=float, default=lr)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save-every", type=int, default=250, metavar="STEPS")
    parser.add_argument("--log-every", type=int, default=50, metavar="STEPS")


def learning_rate(step, steps, peak, floor=0.01):
    """Linear warm-up, then a cosine down to `floor` of the peak."""
    warmup = max(100, steps // 50)
    cosine = 0.5 * (1 + math.cos(math.pi * min(1.0, step / steps)))
    return peak * min(1.0, (step + 1) / warmup) * (floor + (1 - floor) * cosine)


class Training:
    """Steps of one optimiser over `modules` (name -> module). The file holds the averaged weights under their
    names, for use, and beside them under "state" all that the next step needs."""

    def __init__(self, arguments, modules, parameters, averaging, facts):
        self.arguments, self.modules, self.facts, self.step = arguments, modules, facts, 0
        self.parameters = list(parameters)
        self.optimiser = AveragedAdamW(self.parameters, averaging)
        self.stopped = False
        self.losses, self.reported = [], time.time()
        if os.path.exists(arguments.out):
            self._resume()

    def _resume(self):
        file = torch.load(self.arguments.out, map_location="cpu")
        state = file["state"]
        with torch.no_grad():
            for parameter, value in zip(self.parameters, state["parameters"]):
                parameter.copy_(value)
        self.optimiser.load(state)
        self.step = file["step"]
        print(f"resuming after step {self.step}", flush=True)

    def save(self):
        self.optimiser.swap()
        weights = {name: module.state_dict() for name, module in self.modules.items()}
        average, parameters = [p.detach() for p in self.parameters], self.optimiser.average
        file = dict(self.facts, **weights, step=self.step, seed=self.arguments.seed,
                    state=dict(self.optimiser.state(), parameters=parameters, average=average))
        os.makedirs(os.path.dirname(os.path.abspath(self.arguments.out)), exist_ok=True)
        torch.save(file, self.arguments.out + ".part")
        os.replace(self.arguments.out + ".part", self.arguments.out)
        self.optimiser.swap()

    def run(self, step):
        """Takes every step that is left; of what a step is, see differentiated(). Stops between two when told to."""
        a, gradients_of = self.arguments, differentiated(step, self.parameters)
        for signal_number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(signal_number, self._stop)
        end = time.time() + a.minutes * 60
        while self.step < a.steps and not self.stopped and time.time() < end:
            self._one(gradients_of)
            if self.step % a.log_every == 0:
                self._report()
            if self.step % a.save_every == 0:
                self.save()
        self.save()
        print(f"{self.step} of {a.steps} steps done: {a.out}", flush=True)

    def _one(self, gradients_of):
        self.losses.append(gradients_of(self.step))
        self.optimiser.step(learning_rate(self.step, self.arguments.steps, self.arguments.lr))
        self.step += 1

    def _report(self):
        mean = float(torch.stack(self.losses).mean())
        seconds = (time.time() - self.reported) / len(self.losses)
        print(f"step {self.step} loss {mean:.4f} ({seconds:.3f} s a step)", flush=True)
        self.losses, self.reported = [], time.time()

    def _stop(self, *_):
        self.stopped = True
