# SPDX-License-Identifier: GPL-3.0-or-later
"""From a step's number to the gradients of its loss.

A step prepares on the host what it needs and says of which kind it is, `prepare(step) -> kind`; what it then does on the device,
`loss(kind)`, is the same for all steps of a kind. A GPU is given that as one graph: a step of a small transformer is thousands of
short kernels, which a processor launches three times slower than the GPU computes them."""
import torch

_EAGER = 2                          # steps of a kind before its graph: kernels are compiled and chosen in them


def differentiated(step, parameters):
    """-> a function of a step's number that leaves gradients in `parameters` and returns the loss. `step` is such an object, or
    a function of the number alone."""
    if not hasattr(step, "prepare"):
        return _Direct(step, parameters)
    return _Graphed(step, parameters) if parameters[0].is_cuda else _Direct(lambda number: step.loss(step.prepare(number)), parameters)


class _Direct:
    def __init__(self, loss_of, parameters):
        self.loss_of, self.parameters = loss_of, parameters

    def __call__(self, number):
        loss = self.loss_of(number)
        for parameter in self.parameters:
            parameter.grad = None
        loss.backward()
        return loss.detach()


class _Graphed:
    def __init__(self, step, parameters):
        self.step, self.parameters = step, parameters
        self.seen, self.graphs = {}, {}
        self.stream, self.memory = torch.cuda.Stream(), torch.cuda.graph_pool_handle()
        self.stream.wait_stream(torch.cuda.current_stream())

    def __call__(self, number):
        kind = self.step.prepare(number)
        if kind in self.graphs:
            return self._replayed(kind)
        self.seen[kind] = self.seen.get(kind, 0) + 1
        if self.seen[kind] <= _EAGER:
            return self._computed(kind)
        self._capture(kind)
        return self._replayed(kind)

    def _gradients(self, kind):
        """Graphs write where the first step has put its gradients."""
        if all(parameter.grad is not None for parameter in self.parameters):
            torch._foreach_zero_([parameter.grad for parameter in self.parameters])
        loss = self.step.loss(kind)
        loss.backward()
        return loss.detach()

    def _computed(self, kind):
        """On the stream that graphs are made on, since gradients are added up where their parameter was first used."""
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            loss = self._gradients(kind)
        torch.cuda.current_stream().wait_stream(self.stream)
        return loss

    def _capture(self, kind):
        graph = torch.cuda.CUDAGraph()
        graph.register_generator_state(self.step.generator)
        with torch.cuda.graph(graph, pool=self.memory, stream=self.stream):
            loss = self._gradients(kind)
        self.graphs[kind] = graph, loss

    def _replayed(self, kind):
        graph, loss = self.graphs[kind]
        graph.replay()
        return loss.clone()
