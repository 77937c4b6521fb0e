# SPDX-License-Identifier: GPL-3.0-or-later
"""Faster steps on CPUs that multiply bfloat16: what lies between matrix products, compiled on first use."""
