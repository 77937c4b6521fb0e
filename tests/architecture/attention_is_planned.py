# SPDX-License-Identifier: GPL-3.0-or-later
"""Attention is decided in its plan: what computes it looks at no settings, asks no resolver and makes no layer objects,
and nobody recognises a mode by its name."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])

# What turns settings into decisions, and what finds fault with them.
resolvers = ["resolveFlashBlocks", "bestFlashBlocks", "coreCaches", "contextSplit", "planAttention", "headChunks"]
checks = ["attentionProblems", "requireAttentionMode", "requireScratchLimit", "findAttentionMode"]

# Who computes, or shows what was decided: any use is a decision made twice.
readers = ["engine/kernels", "engine/attention", "engine/models", "engine/pipelines", "engine/runs", "ui"]

# The tables, the planner, and the checks of a project; where a model tells the planner of its size; runs
# older than the record of their plan or made elsewhere, and names that the Studio offers.
allowed = {
    "engine/attention/attention_mode": checks,
    "engine/attention/attention_plan": resolvers + checks + ["AttentionSettings"],
    "engine/attention/attention_settings": checks + ["AttentionSettings"],
    "engine/attention/block_sizes": resolvers + checks,
    "engine/attention/context_split": resolvers + checks + ["AttentionSettings"],
    "engine/attention/exchange": ["AttentionSettings"],
    "engine/models/wan/wan_transformer": ["AttentionSettings"],
    "engine/runs/run_record_reader": ["planAttention"],
    "ui/attention/attention_mode_model": ["AttentionSettings"],
    "ui/attention/attention_panel": ["findAttentionMode"],
    "ui/foresight/foresight_panel": ["findAttentionMode"],
    "ui/settings/key_field": ["findAttentionMode"],
}

# Made once, by the transformer; a pass brings their weights.
layers = re.compile(r"\b(?:WanBlock|WanAttentionLayer|FaceAdapter|WanEmbeddings)(?:\s+\w+)?\s*[({](?!\s*const \w+&\))")
makers = {"wan_transformer", "wan_block", "face_adapter", "wan_embeddings"}


def code(path):
    """Without comments."""
    return re.sub(r"//[^\n]*", "", path.read_text())


problems = []
for top in readers:
    for path in sorted((root / top).rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        name = path.relative_to(root).with_suffix("").as_posix()
        may = allowed.get(name, [])
        for word in [*resolvers, *checks, "AttentionSettings"]:
            if word not in may and re.search(rf"\b{word}\b", code(path)):
                problems.append(f"{path.relative_to(root)}: names {word}; read the AttentionPlan")
for top in ("engine", "ui", "app"):
    for path in sorted((root / top).rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        text = code(path)
        if re.search(r'[mM]ode\w*(?:\.|->)name\s*[=!]=\s*"', text):
            problems.append(f"{path.relative_to(root)}: compares a mode's name; ask for a column of its row")
        if path.is_relative_to(root / "engine/models") and path.stem not in makers and layers.search(text):
            problems.append(f"{path.relative_to(root)}: makes a layer object; bind weights to those of the transformer")
print("\n".join(problems) or "attention is decided in its plan")
sys.exit(bool(problems))
