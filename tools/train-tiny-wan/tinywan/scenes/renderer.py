# SPDX-License-Identifier: GPL-3.0-or-later
"""Many scenes at once: one tensor of clips, drawn on any device by signed distances with one pixel of anti-aliasing.

Every part of every actor becomes a layer; the k-th layers of all clips are painted together, those of one
primitive in one go."""
import math
from dataclasses import dataclass

import torch

from . import distance
from .figures import PARTS, has_front
from .motion import trajectories
from .tables import BACKGROUNDS, COLORS, LANDSCAPES

_SHADOW = 0.45                      # darkness of a cast shadow


@dataclass
class View:
    """What of a frame is drawn: the window of `height` x `width` pixels at `origin` (x, y) [B, 2] of a whole
    frame of `frame` (height, width) pixels. By default all of it."""
    frames: int
    height: int
    width: int
    frame: tuple = None
    origin: torch.Tensor = None


def _rgb(value, device):
    return torch.tensor(value, dtype=torch.float32, device=device) / 255.0


class _Grid:
    def __init__(self, view, count, device):
        origin = torch.zeros(count, 2) if view.origin is None else view.origin
        origin = origin.to(device=device, dtype=torch.float32)
        self.x = (torch.arange(view.width, device=device) + 0.5).view(1, 1, 1, -1) + origin[:, 0].view(-1, 1, 1, 1)
        self.y = (torch.arange(view.height, device=device) + 0.5).view(1, 1, -1, 1) + origin[:, 1].view(-1, 1, 1, 1)
        self.height, self.width = view.frame or (view.height, view.width)


def _plain(colour, grid, index):
    """[n, 3, 1, H, 1]: a little lighter at the top."""
    v = (grid.y[index] / grid.height).unsqueeze(1)
    return colour.view(-1, 3, 1, 1, 1) * (1.07 - 0.14 * v)


def _hills(scene, grid, clip, pan):
    """Distance below the line of the ground, which the camera passes."""
    x = (grid.x[clip] / grid.width + pan.view(-1, 1, 1)) * 2 * math.pi
    line = 0.72 + 0.05 * torch.sin(x + 6.0 * scene.details) + 0.025 * torch.sin(2.3 * x + 11.0 * scene.details)
    return grid.y[clip] - line * grid.height


def _landscape(scene, grid, clip, pan, device):
    colours = {name: _rgb(value, device).view(3, 1, 1, 1) for name, value in LANDSCAPES[scene.landscape].items()}
    v = (grid.y[clip] / (0.75 * grid.height)).clamp(0, 1).unsqueeze(0)
    picture = colours["top"] * (1 - v) + colours["foot"] * v
    radius = 0.07 * min(grid.height, grid.width)
    from_light = torch.sqrt((grid.x[clip] - (0.15 + 0.7 * scene.details) * grid.width) ** 2 +
                            (grid.y[clip] - 0.16 * grid.height) ** 2) - radius
    light = (0.5 - from_light).clamp(0, 1).unsqueeze(0)
    picture = picture + (colours["light"] - picture) * light
    ground = (0.5 + _hills(scene, grid, clip, pan)).clamp(0, 1).unsqueeze(0)
    return picture + (colours["ground"] - picture) * ground


def _backgrounds(scenes, view, grid, device):
    clips = torch.empty(len(scenes), 3, view.frames, view.height, view.width, device=device)
    plain = [i for i, scene in enumerate(scenes) if not scene.landscape]
    if plain:
        colours = torch.stack([_rgb(getattr(scenes[i], "background_rgb", None) or BACKGROUNDS[scenes[i].background],
                                    device) for i in plain])
        clips[plain] = _plain(colours, grid, plain)
    for i, scene in enumerate(scenes):
        if scene.landscape:
            pan = scene.pan * torch.linspace(0, 1, view.frames, device=device)
            clips[i] = _landscape(scene, grid, i, pan, device)
    return clips


@dataclass
class _Layer:
    clip: int
    actor: int                      # row of the trajectories
    part: object
    colour: tuple
    mirrored: bool
    spinning: bool
    shadow: bool = False


def _layers(scenes):
    """Per clip its layers from back to front; and all actors in the order of their rows."""
    stacks, actors = [], []
    for clip, scene in enumerate(scenes):
        stack = []
        for actor in scene.actors:
            row, spinning = len(actors), actor.motion == "spinning"
            actors.append(actor)
            colour = getattr(actor, "rgb", None) or COLORS[actor.color]
            mirrored = has_front(actor.figure) and actor.motion == "left"
            parts = PARTS[actor.figure]
            if scene.shadow:
                stack.append(_Layer(clip, row, parts[0], (0, 0, 0), mirrored, spinning, shadow=True))
            stack += [_Layer(clip, row, part, part.color or colour, mirrored, spinning) for part in parts]
        stacks.append(stack)
    return stacks, actors


def _column(values, device):
    return torch.tensor(values, dtype=torch.float32, device=device).view(-1, 1)


def _shade(layers, x, y, r, angle, colours, device):
    """[n, 3, T, H, W]: the colour of a primitive's surface, lit from the upper left."""
    flat = 0.97 - 0.17 * ((x * 0.5 + y * 0.75) / r)
    surface = colours.view(-1, 3, 1, 1, 1) * flat.unsqueeze(1)
    spheres = [i for i, layer in enumerate(layers) if layer.part.glossy]
    if spheres:
        nx, ny = x[spheres] / r[spheres], y[spheres] / r[spheres]
        nz = (1 - nx * nx - ny * ny).clamp(min=0).sqrt()
        turn = torch.tensor([layers[i].spinning for i in spheres], device=device).view(-1, 1, 1, 1)
        light = torch.where(turn, angle[spheres], torch.zeros_like(angle[spheres])) - 0.88
        lx, ly = 0.78 * light.sin(), -0.78 * light.cos()
        lit = 0.52 + 0.55 * (nx * lx + ny * ly + nz * 0.626).clamp(min=0)
        gloss = (0.55 * (nx * lx * 0.62 + ny * ly * 0.62 + nz * 0.875).clamp(min=0) ** 24).unsqueeze(1)
        ball = colours[spheres].view(-1, 3, 1, 1, 1) * lit.unsqueeze(1)
        surface[spheres] = ball + (1 - ball).clamp(min=0) * gloss
    return surface.clamp(0, 1)


def _paint(clips, layers, paths, grid, device):
    """Layers of one primitive, at most one a clip, onto their clips."""
    index = [layer.clip for layer in layers]
    rows = [layer.actor for layer in layers]
    px, py, radius, angle = (path[rows] for path in paths)                       # [n, T]
    mirror = _column([-1.0 if layer.mirrored else 1.0 for layer in layers], device)
    part = lambda name: _column([getattr(layer.part, name) for layer in layers], device)
    frames = torch.arange(px.shape[1], device=device).view(1, -1)
    own = angle + part("wag") * torch.sin(frames * (2 * math.pi / 8))
    offset_x, offset_y = part("x") * mirror * radius, part("y") * radius
    cx = px + angle.cos() * offset_x - angle.sin() * offset_y
    cy = py + angle.sin() * offset_x + angle.cos() * offset_y
    sx, sy = part("sx") * radius, part("sy") * radius
    shape = lambda value: value.view(*value.shape, 1, 1)
    shadows = torch.tensor([layer.shadow for layer in layers], device=device).view(-1, 1)
    cx, cy = cx + shadows * 0.35 * radius, cy + shadows * 0.35 * radius
    dx, dy = grid.x[index] - shape(cx), grid.y[index] - shape(cy)
    primitive = layers[0].part.primitive
    hoop = primitive is distance.ring
    spun = torch.tensor([layer.spinning for layer in layers], device=device).view(-1, 1)
    turned = torch.where(spun, torch.zeros_like(own), own) if hoop else own      # a hoop turns about its vertical axis
    cos, sin = shape(turned.cos()), shape(turned.sin())
    x, y = cos * dx + sin * dy, -sin * dx + cos * dy
    if hoop:
        sx = torch.where(spun, sx * own.cos().abs().clamp(min=0.18), sx)
    alpha = (0.5 - primitive(x, y, shape(sx), shape(sy))).clamp(0, 1).unsqueeze(1)
    alpha = alpha * torch.where(shadows, torch.tensor(_SHADOW, device=device), torch.tensor(1.0, device=device)).view(-1, 1, 1, 1, 1)
    colours = torch.stack([_rgb(layer.colour, device) for layer in layers])
    surface = _shade(layers, dx, dy, shape(radius), shape(angle), colours, device)
    under = clips[index]
    clips[index] = under + (surface - under) * alpha


@torch.no_grad()
def render(scenes, view, device="cpu"):
    """[B, 3, T, H, W] in [-1, 1]."""
    device = torch.device(device)
    grid = _Grid(view, len(scenes), device)
    clips = _backgrounds(scenes, view, grid, device)
    stacks, actors = _layers(scenes)
    paths = trajectories(actors, view.frames, grid.height, grid.width, device)
    for depth in range(max(map(len, stacks))):
        here = [stack[depth] for stack in stacks if len(stack) > depth]
        for primitive in distance.PRIMITIVES:
            same = [layer for layer in here if layer.part.primitive is primitive]
            if same:
                _paint(clips, same, paths, grid, device)
    return clips.clamp(0, 1) * 2 - 1
