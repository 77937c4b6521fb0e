# SPDX-License-Identifier: GPL-3.0-or-later
"""Captions in Chinese."""

_FIGURES = {"ball": ["球", "圆球", "小球"], "square": ["正方形", "方块"], "triangle": ["三角形"], "star": ["星星", "五角星"],
            "ring": ["圆环", "环"], "fish": ["鱼"], "bird": ["鸟"], "snail": ["蜗牛"], "car": ["汽车", "小汽车"], "boat": ["船", "帆船"],
            "rocket": ["火箭"]}
_COLORS = {"red": "红色", "green": "绿色", "blue": "蓝色", "yellow": "黄色", "purple": "紫色", "orange": "橙色", "cyan": "青色",
           "white": "白色"}
_BACKGROUNDS = {"black": "黑色", "white": "白色", "gray": "灰色", "navy": "深蓝色", "dark green": "深绿色"}
_MOTIONS = {"right": ["向右移动", "从左向右移动"], "left": ["向左移动", "从右向左移动"], "up": ["向上移动", "上升"], "down": ["向下移动", "下落"],
            "bouncing": ["弹跳", "上下弹跳"], "spinning": ["旋转", "转动"], "growing": ["变大", "逐渐变大"],
            "shrinking": ["变小", "逐渐缩小"], "still": ["静止不动", "不动"]}
_LANDSCAPES = {"day": ["白天", "阳光下"], "night": ["夜晚", "月光下"]}


def _subject(actor, rng):
    article = rng.choice(["一个", "一个", ""])
    return article + _COLORS[actor.color] + "的" + rng.choice(_FIGURES[actor.figure]) + rng.choice(_MOTIONS[actor.motion])


def chinese_caption(scene, rng):
    subject = "和".join(_subject(actor, rng) for actor in scene.actors)
    if scene.shadow:
        subject += "，有影子"
    if scene.pan:
        subject += "，镜头向" + ("右" if scene.pan > 0 else "左") + "移动"
    if scene.landscape:
        where = rng.choice(_LANDSCAPES[scene.landscape])
        return rng.choice([where + "，" + subject, subject + "，" + where])
    where = _BACKGROUNDS[scene.background] + "背景"
    return rng.choice([where + "上，" + subject, subject + "，" + where, "在" + where + "上有" + subject])
