# SPDX-License-Identifier: GPL-3.0-or-later
"""AdamW and an exponential average of the parameters, which is what a training leaves for use."""
import torch

from .kernels import operations
from .kernels.library import library

_BETAS = 0.9, 0.98
_EPS = 1e-8
_DECAY = 0.01                       # of the weights of matrices
_LARGEST_NORM = 1.0                 # of all gradients together


def _decay_of(parameter):
    return _DECAY if parameter.ndim >= 2 else 0.0


def _scaled(tensors, factor):
    if tensors[0].is_cuda:
        return torch._foreach_mul(tensors, factor)
    return [tensor * factor for tensor in tensors]          # PyTorch 1.13 multiplies lists by numbers alone


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
        norm = torch.stack(torch._foreach_norm([p.grad for p in self.parameters])).norm()
        if all(p.device.type == "cpu" and p.is_contiguous() for p in self.parameters) and library():
            clip = min(1.0, _LARGEST_NORM / (float(norm) + 1e-6))
            for i, parameter in enumerate(self.parameters):
                operations.adamw(parameter.detach(), parameter.grad, self.first[i], self.second[i], self.average[i], self.steps, rate,
                                 _decay_of(parameter), clip, kept, _BETAS, _EPS)
        else:
            self._all(rate, (_LARGEST_NORM / (norm + 1e-6)).clamp(max=1.0), kept)

    def _all(self, rate, clip, kept):
        """Waits for nothing: `clip` is a tensor on the device of the parameters."""
        correction1, correction2 = (1 - beta ** self.steps for beta in _BETAS)
        parameters = [p.detach() for p in self.parameters]
        gradients = _scaled([p.grad for p in self.parameters], clip)
        torch._foreach_mul_(self.first, _BETAS[0])
        torch._foreach_add_(self.first, gradients, alpha=1 - _BETAS[0])
        torch._foreach_mul_(self.second, _BETAS[1])
        torch._foreach_addcmul_(self.second, gradients, gradients, 1 - _BETAS[1])
        torch._foreach_mul_(parameters, [1 - rate * _decay_of(p) for p in parameters])
        divisors = torch._foreach_sqrt(torch._foreach_div(self.second, correction2))
        torch._foreach_add_(divisors, _EPS)
        torch._foreach_addcdiv_(parameters, self.first, divisors, -rate / correction1)
        torch._foreach_mul_(self.average, kept)
        torch._foreach_add_(self.average, parameters, alpha=1 - kept)

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
