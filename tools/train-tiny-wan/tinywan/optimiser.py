# SPDX-License-Identifier: GPL-3.0-or-later
"""AdamW and an exponential average of the parameters, which is what a training leaves for use."""
import torch

from .kernels import operations
from .kernels.library import library

_BETAS = 0.9, 0.98
_EPS = 1e-8
_DECAY = 0.01                       # of the weights of matrices
_LARGEST_NORM = 1.0                 # of all gradients together


class AveragedAdamW:
    def __init__(self, parameters, averaging):
        """`averaging` is the share that the average keeps in a step; the first steps keep less."""
        self.parameters, self.averaging, self.steps = list(parameters), averaging, 0
        like = lambda: [torch.zeros_like(p, memory_format=torch.contiguous_format) for p in self.parameters]
        self.first, self.second = like(), like()
        self.average = [p.detach().clone() for p in self.parameters]

    @torch.no_grad()
    def step(self, rate):
        kept = min(self.averaging, (2 + self.steps) / (11 + self.steps))
        self.steps += 1
        unreached = [tuple(p.shape) for p in self.parameters if p.grad is None]
        if unreached:
            raise RuntimeError(f"the loss does not reach {len(unreached)} of {len(self.parameters)} parameters, of shapes {unreached[:3]}")
        norm = float(torch.stack([p.grad.norm() for p in self.parameters]).norm())
        clip = min(1.0, _LARGEST_NORM / (norm + 1e-6))
        for i, parameter in enumerate(self.parameters):
            of = parameter.detach(), parameter.grad, self.first[i], self.second[i], self.average[i]
            decay = _DECAY if parameter.ndim >= 2 else 0.0
            if parameter.device.type == "cpu" and parameter.is_contiguous() and library():
                operations.adamw(*of, self.steps, rate, decay, clip, kept, _BETAS, _EPS)
            else:
                self._one(*of, rate, decay, clip, kept)

    def _one(self, parameter, gradient, first, second, average, rate, decay, clip, kept):
        correction1, correction2 = (1 - beta ** self.steps for beta in _BETAS)
        gradient = gradient * clip
        first.lerp_(gradient, 1 - _BETAS[0])
        second.mul_(_BETAS[1]).addcmul_(gradient, gradient, value=1 - _BETAS[1])
        parameter.mul_(1 - rate * decay)
        parameter.addcdiv_(first, (second / correction2).sqrt_().add_(_EPS), value=-rate / correction1)
        average.lerp_(parameter, 1 - kept)

    @torch.no_grad()
    def swap(self):
        """Averages become the parameters and the other way round."""
        for value, parameter in zip(self.average, self.parameters):
            held = parameter.detach().clone()
            parameter.copy_(value)
            value.copy_(held)

    def state(self):
        """For load(), but for "average", which after swap() lies in the parameters."""
        return dict(steps=self.steps, first=self.first, second=self.second)

    @torch.no_grad()
    def load(self, state):
        self.steps = state["steps"]
        for name in ("first", "second", "average"):
            for value, stored in zip(getattr(self, name), state[name]):
                value.copy_(stored)
