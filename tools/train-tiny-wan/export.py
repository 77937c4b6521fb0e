# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a trained model as a diffusers-style folder.

    python3 export.py --vae runs/vae.pt --dit runs/t2v.pt --vocabulary runs/spiece.model --out models/tiny-wan-t2v \\
        --figures evaluation/figures.json
"""
import argparse
import json
import os
import shutil

import torch

from model_card import model_card
from tinywan import safetensors_io
from tinywan.checkpoints import load
from tinywan.sampler import SHIFT

VERSION = "0.35.0"                  # of the diffusers layout
KINDS = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


def dump(obj, *path):
    os.makedirs(os.path.dirname(os.path.join(*path)), exist_ok=True)
    with open(os.path.join(*path), "w") as f:
        json.dump(obj, f, indent=2)
        f.write("\n")


def put(state, kind, *path):
    os.makedirs(os.path.dirname(os.path.join(*path)), exist_ok=True)
    safetensors_io.write(os.path.join(*path), {k: v.to(KINDS[kind]) for k, v in state.items()})


def transformer_state(state, kind):
    """Large matrices in `kind`; modulation tables, norms and the time embedding stay f32 as in the references."""
    keep = ("scale_shift_table", "time_embedder", "norm1", "norm2", "norm3")
    return {k: v.float() if any(s in k for s in keep) else v.to(KINDS[kind]) for k, v in state.items()}


def write_transformer(out, d, kind):
    c = d["dit_cfg"]
    dump({"_class_name": "WanTransformer3DModel", "_diffusers_version": VERSION, "added_kv_proj_dim": None,
          "attention_head_dim": c["attention_head_dim"], "cross_attn_norm": True, "eps": c["eps"],
          "ffn_dim": c["ffn_dim"], "freq_dim": c["freq_dim"], "image_dim": None, "in_channels": c["in_channels"],
          "num_attention_heads": c["num_attention_heads"], "num_layers": c["num_layers"],
          "out_channels": c["out_channels"], "patch_size": [1, 2, 2], "pos_embed_seq_len": None,
          "qk_norm": "rms_norm_across_heads", "rope_max_seq_len": 1024, "text_dim": c["text_dim"]},
         out, "transformer", "config.json")
    safetensors_io.write(os.path.join(out, "transformer", "diffusion_pytorch_model.safetensors"),
                         transformer_state(d["dit"], kind))


def write_vae(out, v, mean, std, kind):
    c = v["cfg"]
    dump({"_class_name": "AutoencoderKLWan", "_diffusers_version": VERSION, "attn_scales": [], "base_dim": c["base_dim"],
          "dim_mult": c["dim_mult"], "dropout": 0.0, "latents_mean": mean, "latents_std": std,
          "num_res_blocks": c["num_res_blocks"], "temperal_downsample": c["temperal_downsample"],
          "z_dim": c["z_dim"]}, out, "vae", "config.json")
    put(v["vae"], kind, out, "vae", "diffusion_pytorch_model.safetensors")


def write_text_encoder(out, d, kind):
    c = d["text_cfg"]
    dump({"architectures": ["UMT5EncoderModel"], "classifier_dropout": 0.0, "d_ff": c["d_ff"], "d_kv": c["d_kv"],
          "d_model": c["d_model"], "decoder_start_token_id": 0, "dense_act_fn": "gelu_new", "dropout_rate": 0.1,
          "eos_token_id": 1, "feed_forward_proj": "gated-gelu", "initializer_factor": 1.0,
          "is_encoder_decoder": True, "is_gated_act": True, "layer_norm_epsilon": 1e-06, "model_type": "umt5",
          "num_decoder_layers": c["num_layers"], "num_heads": c["num_heads"], "num_layers": c["num_layers"],
          "output_past": True, "pad_token_id": 0, "relative_attention_max_distance": 128,
          "relative_attention_num_buckets": 32, "scalable_attention": True, "tie_word_embeddings": False,
          "tokenizer_class": "T5Tokenizer",
          "torch_dtype": {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}[kind],
          "use_cache": True, "vocab_size": c["vocab_size"]}, out, "text_encoder", "config.json")
    put(d["text"], kind, out, "text_encoder", "model.safetensors")


def write_tokenizer(out, vocabulary):
    tk = os.path.join(out, "tokenizer")
    os.makedirs(tk, exist_ok=True)
    shutil.copyfile(vocabulary, os.path.join(tk, "spiece.model"))
    special = {"eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    dump(special, tk, "special_tokens_map.json")
    dump({"tokenizer_class": "T5Tokenizer", "additional_special_tokens": [], "extra_ids": 0,
          "clean_up_tokenization_spaces": True, "legacy": False, "model_max_length": 512, "sp_model_kwargs": {},
          "added_tokens_decoder": {str(i): {"content": t, "lstrip": False, "normalized": False, "rstrip": False,
                                            "single_word": False, "special": True}
                                   for i, t in enumerate(("<pad>", "</s>", "<unk>"))}, **special},
         tk, "tokenizer_config.json")


def write_scheduler(out):
    dump({"_class_name": "UniPCMultistepScheduler", "_diffusers_version": VERSION, "beta_end": 0.02,
          "beta_schedule": "linear", "beta_start": 0.0001, "disable_corrector": [], "dynamic_thresholding_ratio": 0.995,
          "final_sigmas_type": "zero", "flow_shift": SHIFT, "lower_order_final": True,
          "num_train_timesteps": 1000, "predict_x0": True, "prediction_type": "flow_prediction",
          "rescale_betas_zero_snr": False, "sample_max_value": 1.0, "solver_order": 2, "solver_p": None,
          "solver_type": "bh2", "steps_offset": 0, "thresholding": False, "timestep_spacing": "linspace",
          "trained_betas": None, "use_beta_sigmas": False, "use_exponential_sigmas": False, "use_flow_sigmas": True,
          "use_karras_sigmas": False}, out, "scheduler", "scheduler_config.json")


def write_index(out, i2v):
    index = {"_class_name": "WanImageToVideoPipeline" if i2v else "WanPipeline", "_diffusers_version": VERSION,
             "scheduler": ["diffusers", "UniPCMultistepScheduler"],
             "text_encoder": ["transformers", "UMT5EncoderModel"], "tokenizer": ["transformers", "T5TokenizerFast"],
             "transformer": ["diffusers", "WanTransformer3DModel"], "vae": ["diffusers", "AutoencoderKLWan"]}
    if i2v:
        index.update(image_encoder=[None, None], image_processor=[None, None], transformer_2=[None, None],
                     boundary_ratio=None, expand_timesteps=False)
    dump(index, out, "model_index.json")


def sizes_of(out):
    for folder, _, names in sorted(os.walk(out)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            yield os.path.relpath(path, out), os.path.getsize(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--vae", required=True)
    parser.add_argument("--dit", required=True, help="checkpoint of train_transformer.py")
    parser.add_argument("--vocabulary", required=True)
    parser.add_argument("--out", required=True, help="folder of the model")
    parser.add_argument("--dit-type", default="bf16", choices=list(KINDS))
    parser.add_argument("--vae-type", default="f32", choices=list(KINDS))
    parser.add_argument("--text-type", default="f32", choices=list(KINDS))
    parser.add_argument("--figures", help="figures.json of `meshreel evaluate`, for the model card; without: no card")
    parser.add_argument("--trained", default="", help="one sentence for the card: on what, and how long")
    a = parser.parse_args()
    d, v = load(a.dit), load(a.vae)
    mean, std = [round(float(x), 6) for x in d["mean"]], [round(float(x), 6) for x in d["std"]]
    i2v = d["dit_cfg"]["in_channels"] == 36
    write_transformer(a.out, d, a.dit_type)
    write_vae(a.out, v, mean, std, a.vae_type)
    write_text_encoder(a.out, d, a.text_type)
    write_tokenizer(a.out, a.vocabulary)
    write_scheduler(a.out)
    write_index(a.out, i2v)
    if a.figures:
        with open(os.path.join(a.out, "README.md"), "w", encoding="utf-8") as file:
            file.write(model_card(os.path.basename(os.path.normpath(a.out)), d, v, a.figures, a.trained))
    for name, size in sizes_of(a.out):
        print(f"{size:>10}  {name}")
    print(f"{sum(size for _, size in sizes_of(a.out)):>10}  total")


if __name__ == "__main__":
    main()
