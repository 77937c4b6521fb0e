# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of the tiny Wan recipe: scenes, models, sampling, files."""
