# SPDX-License-Identifier: GPL-3.0-or-later
"""python3 -m unittest discover -s tests -t .        (in tools/train-tiny-wan; a minute on one core)"""
import argparse
import contextlib
import os
import random
import tempfile
import unittest
import unittest.mock

import torch
import torch.nn.functional as F

import export
import train_decoder
from distill_lora import STUDENT_SHIFT
from import_model import transformer_checkpoint, vae_checkpoint
from tinywan import contrast, corrections, held_out, lora, safetensors_io
from tinywan.activations import gelu, norm_silu
from tinywan.checkpoints import mean_of, transformer_of, vae_of, with_layers
from tinywan.device import mixed_precision
from tinywan.differentiation import differentiated
from tinywan.dit import WanDiT
from tinywan.latents import SIZES, SizePlan, clips_of, loss_weights, sensitivities
from tinywan.optimiser import AveragedAdamW
from tinywan.pool import LONGEST, Drawer, LatentPool
from tinywan.sampler import levels, noisy, shifted, stratified_levels, unshifted
from tinywan.scenes.captions import caption
from tinywan.scenes.renderer import View, render
from tinywan.scenes.specification import Actor, Scene, random_scene, reshaped
from tinywan.scenes.tables import BACKGROUNDS, COLORS, FIGURES, MOTIONS_OF, SHAPES
from tinywan.scenes.words_en import BACKGROUND_WORDS, COLOR_WORDS, FIGURE_WORDS
from tinywan.text_encoder import TextEncoder
from tinywan.tokenizer import Tokenizer, empty_caption
from tinywan.training import Training
from tinywan.vae import WanVAE

VOCABULARY = os.path.join(os.path.dirname(held_out.PROMPTS), "..", "models", "tiny-wan-t2v", "tokenizer", "spiece.model")


def scene_of(figure, motion="right", color="red", background="black"):
    return Scene([Actor(figure, color, motion, 0.2, 0.2, 0.5, 0.5, 0.5, 0.5)], background)


def centre_x(clip):
    """Of what is not background, per frame."""
    mask = ((clip - clip[:, :, :1, :1]).abs().amax(0) > 0.4).float()
    x = torch.arange(clip.shape[-1], dtype=torch.float32)
    return (mask.sum(1) * x).sum(1) / mask.sum((1, 2)).clamp_min(1)


class Activations(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        self.x = torch.randn(3, 4, 2, 3, 5, dtype=torch.float64, requires_grad=True)
        self.gamma = torch.rand(4, 1, 1, 1, dtype=torch.float64, requires_grad=True)

    def test_values_are_those_of_pytorch(self):
        self.assertTrue(torch.allclose(gelu(self.x), F.gelu(self.x, approximate="tanh")))
        direct = F.silu(self.x / self.x.norm(dim=1, keepdim=True) * 2 * self.gamma)
        self.assertTrue(torch.allclose(norm_silu(self.x, self.gamma, 2), F.pad(direct, (0, 0, 0, 0, 2, 0))))

    def test_gradients_are_those_of_the_values(self):
        self.assertTrue(torch.autograd.gradcheck(gelu, (self.x,)))
        self.assertTrue(torch.autograd.gradcheck(lambda x, gamma: norm_silu(x, gamma, 1), (self.x, self.gamma)))


class Scenes(unittest.TestCase):
    def test_every_figure_moves_as_it_is_told(self):
        scenes = [scene_of(f, m) for f in FIGURES for m in ("right", "left") if m in MOTIONS_OF.get(f, ("right", "left"))]
        for scene, clip in zip(scenes, render(scenes, View(5, 64, 64))):
            way = centre_x(clip)[-1] - centre_x(clip)[0]
            self.assertGreater(way * (1 if scene.actors[0].motion == "right" else -1), 15, scene)

    def test_colours_are_those_of_the_table(self):
        clip = render([scene_of("square", "still", "blue", "gray")], View(1, 64, 64))[0]
        pixel = (clip[:, 0, 32, 32] + 1) * 127.5
        self.assertLess((pixel - torch.tensor(COLORS["blue"])).abs().max(), 20)
        corner = (clip[:, 0, 32, 1] + 1) * 127.5
        self.assertLess((corner - torch.tensor(BACKGROUNDS["gray"])).abs().max(), 8)

    def test_a_batch_is_its_clips(self):
        rng = random.Random(1)
        scenes = [random_scene(rng) for _ in range(8)]
        together = render(scenes, View(5, 48, 64))
        for scene, clip in zip(scenes, together):
            self.assertTrue(torch.equal(render([scene], View(5, 48, 64))[0], clip))

    def test_a_window_is_a_part_of_the_frame(self):
        whole = render([scene_of("star")], View(3, 64, 64))
        part = render([scene_of("star")], View(3, 32, 40, (64, 64), torch.tensor([[8.0, 16.0]])))
        self.assertLess((whole[..., 16:48, 8:48] - part).abs().max(), 1e-5)


class HeldOut(unittest.TestCase):
    def test_is_never_drawn(self):
        combinations, rng = held_out.combinations(), random.Random(2)
        self.assertEqual(len(combinations), 200)
        for _ in range(2000):
            self.assertNotIn(random_scene(rng, combinations).combination(), combinations)

    def test_is_no_twin_either(self):
        combinations, rng = held_out.combinations(), random.Random(6)
        for _ in range(2000):
            scene = random_scene(rng, combinations)
            twin = reshaped(scene, rng, combinations)
            self.assertNotIn(twin.combination(), combinations)
            for one, other in zip(scene.actors, twin.actors):
                self.assertIn(other.figure, SHAPES)
                self.assertNotEqual(other.figure, one.figure)
                self.assertEqual((other.color, other.motion, other.a), (one.color, one.motion, one.a))

    def test_simple_scenes_are_one_shape_on_a_plain_background(self):
        rng = random.Random(5)
        for _ in range(200):
            scene = random_scene(rng, kinds="simple")
            self.assertIsNotNone(scene.combination())
            self.assertIn(scene.combination()[0], SHAPES)

    def test_prompts_ask_for_what_stands_beside_them(self):
        for row in held_out.read_prompts():
            for words in (FIGURE_WORDS[row["shape"]], COLOR_WORDS.get(row["color"], [row["color"]]),
                          BACKGROUND_WORDS.get(row["background"], [row["background"]])):
                self.assertTrue(any(word in row["prompt"].lower() for word in words), row)

    def test_captions_name_every_scene(self):
        rng = random.Random(3)
        for _ in range(300):
            self.assertGreater(len(caption(random_scene(rng), rng)), 3)


class Steps(unittest.TestCase):
    def arguments(self, folder, steps):
        return argparse.Namespace(out=os.path.join(folder, "x.pt"), lr=0.01, steps=steps, seed=1, minutes=1.0, save_every=1000,
                                  log_every=1000)

    def trained(self, folder, stops):
        """The weights after 6 steps, made by as many processes' worth of work as there are stops."""
        for stop in stops:
            torch.manual_seed(0)
            layer = torch.nn.Linear(4, 4)
            training = Training(self.arguments(folder, 6), dict(layer=layer), layer.parameters(), 0.9, {})

            def loss(step):
                if step + 1 == stop:
                    training.stopped = True
                x = torch.randn(8, 4, generator=torch.Generator().manual_seed(step))
                return (layer(x) - x).pow(2).mean()
            training.run(loss)
        return torch.load(os.path.join(folder, "x.pt"))

    def test_a_resumed_training_is_the_same(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as many:
            whole, parts = self.trained(one, [6]), self.trained(many, [1, 4, 6])
        self.assertEqual(parts["step"], 6)
        self.assertTrue(torch.equal(whole["layer"]["weight"], parts["layer"]["weight"]))

    def test_a_step_of_kinds_is_prepared_and_leaves_the_same_gradients(self):
        class OfKinds:
            prepared = []

            def prepare(self, step):
                self.prepared.append(step)
                return step % 2

            def loss(self, kind):
                return (layer(torch.ones(1, 4)) * (1 + kind)).sum()

        layer, step = torch.nn.Linear(4, 4), OfKinds()
        of_kinds = differentiated(step, list(layer.parameters()))
        direct = differentiated(lambda number: step.loss(number % 2), list(layer.parameters()))
        for number in (3, 4):
            losses = [of_kinds(number)]
            gradients = [layer.weight.grad.clone()]
            losses.append(direct(number))
            self.assertEqual(*losses)
            self.assertTrue(torch.equal(gradients[0], layer.weight.grad))
        self.assertEqual(step.prepared, [3, 4])

    def test_sizes_come_by_their_shares_and_visits_count(self):
        plan, seen = SizePlan(SIZES, 7), {}
        for step in range(1000):
            size, visit = plan.at(step)
            self.assertEqual(visit, seen.get(size, 0))
            seen[size] = visit + 1
        for size, share in SIZES:
            self.assertAlmostEqual(seen[size] / 1000, share, delta=0.01)
            self.assertAlmostEqual(plan.share(size), share / max(share for _, share in SIZES), delta=0.02)


class Levels(unittest.TestCase):
    def test_a_shift_can_be_undone(self):
        for level in (1.0, 0.8, 0.25, 0.0):
            self.assertAlmostEqual(shifted(unshifted(level)), level)

    def test_the_four_levels_are_those_of_the_preset(self):
        wanted = [shifted(t / 1000, STUDENT_SHIFT) for t in (1000, 750, 500, 250)]
        for level, other in zip(levels(4, STUDENT_SHIFT), wanted):
            self.assertAlmostEqual(level, other)


class Contrast(unittest.TestCase):
    def setUp(self):
        clear, faint = torch.zeros(2, 16, 3, 8, 8).unbind()
        clear[:, :, 2:6, 2:6], faint[:, :, 2:6, 2:6] = 1.0, 0.4
        self.found = contrast.contrasts(torch.stack([clear, faint, clear + 5]), torch.ones(1, 16, 1, 1, 1))

    def test_it_grows_with_squares_and_not_with_what_lies_behind(self):
        clear, faint, moved = self.found.tolist()
        self.assertAlmostEqual(faint / clear, 0.4 ** 2, places=4)
        self.assertAlmostEqual(moved, clear, places=3)

    def test_faint_clips_weigh_more_and_lie_under_less_noise(self):
        share = contrast.shares_of_loss(self.found)
        self.assertGreater(share[1], 2 * share[0])
        level = contrast.levels(torch.tensor([0.5, 0.5, 0.5]), self.found)
        signal = (1 - level) / level * self.found.sqrt()
        self.assertLess(level[1], level[0])
        self.assertAlmostEqual(float(signal[1]), float(signal[0]), places=4)


class Corrections(unittest.TestCase):
    def blended(self, level, named):
        clips, twins = torch.zeros(400, 2, 3, 4, 4), torch.ones(400, 2, 3, 4, 4)
        return corrections.blends(clips, twins, torch.full((400,), level), torch.full((400,), named),
                                  torch.Generator().manual_seed(1))

    def test_half_of_the_clips_are_blends_one_weight_in_each_frame(self):
        blends = self.blended(0.9, True)
        self.assertEqual(blends.amin((1, 3, 4)).tolist(), blends.amax((1, 3, 4)).tolist())
        self.assertAlmostEqual((blends.amax((1, 2, 3, 4)) > 0).float().mean().item(), corrections.SHARE, delta=0.1)
        self.assertLessEqual(blends.max(), 1)

    def test_nothing_is_blended_without_words_or_under_little_noise(self):
        self.assertEqual(self.blended(0.9, False).max(), 0)
        self.assertEqual(self.blended(0.2, True).max(), 0)

    def test_the_velocity_leads_to_the_clip_of_the_caption(self):
        clip, shown = torch.randn(6, 2, 3, 4, 4), torch.randn(6, 2, 3, 4, 4)
        generator = torch.Generator().manual_seed(2)
        level = stratified_levels(6, generator, "cpu").clamp_min(0.05)
        for under_noise in (None, shown):
            x, velocity = noisy(clip, level, generator, under_noise)
            self.assertLess((x - level.view(-1, 1, 1, 1, 1) * velocity - clip).abs().max(), 1e-4)

    def own_steps(self, level, named, velocity=0.0):
        dit = lambda x, t, text: torch.full_like(x, velocity)
        clips = torch.randn(8, 16, 2, 4, 4, generator=torch.Generator().manual_seed(5))
        steps = corrections.own_steps(dit, clips, clips, torch.as_tensor(level).expand(8), torch.as_tensor(named).expand(8),
                                      torch.Generator().manual_seed(3), torch.randn(8, 3, 8), torch.zeros(1, 3, 8))
        return clips, steps

    def test_own_steps_go_down_with_its_velocity_and_the_target_leads_to_the_clip(self):
        level = torch.linspace(0.3, 0.9, 8)
        clips, (places, meant, x, target) = self.own_steps(level, True, velocity=2.0)
        self.assertEqual(len(set(places.tolist())), 2)
        self.assertTrue(meant.all())
        self.assertLess((x - level[places].view(-1, 1, 1, 1, 1) * target - clips[places]).abs().max(), 1e-4)
        moved = (x - self.own_steps(level, True)[1][2]).flatten(1) / 2.0
        self.assertLess((moved - moved[:, :1]).abs().max(), 1e-4)
        self.assertTrue(((moved < 0) & (moved >= -0.3001)).all())

    def test_own_steps_without_words_or_near_the_ends_are_not_meant(self):
        for level, named in ((0.5, False), (0.1, True), (0.99, True)):
            self.assertFalse(self.own_steps(level, named)[1][1].any())

    def test_clips_that_can_take_own_steps_come_first(self):
        places, meant, *_ = self.own_steps(torch.tensor([0.1, 0.5, 0.99, 0.1, 0.1, 0.6, 0.1, 0.1]), True)[1]
        self.assertEqual(sorted(places.tolist()), [1, 5])
        self.assertTrue(meant.all())


class Decoder(unittest.TestCase):
    def test_a_step_trains_the_decoder_alone_on_the_same_clips_each_time(self):
        torch.manual_seed(6)
        dit = WanDiT(num_layers=1, ffn_dim=32, text_dim=96, num_attention_heads=2, attention_head_dim=12)
        with tempfile.TemporaryDirectory() as folder:
            text = TextEncoder(len(Tokenizer(VOCABULARY)))
            torch.save(dict(dit=dit.state_dict(), text=text.state_dict(), dit_cfg=dit.cfg, text_cfg=text.cfg, mean=torch.zeros(16),
                            std=torch.ones(16), weights=torch.ones(16)), folder + "/t2v.pt")
            vae = WanVAE(base_dim=4, num_res_blocks=1).requires_grad_(False)
            vae.decoder.requires_grad_(True)
            a = argparse.Namespace(model=folder + "/t2v.pt", vocabulary=VOCABULARY, seed=1, batch=2, scenes="simple")
            step = train_decoder.Step(a, vae, torch.device("cpu"))
        loss = step(3)
        loss.backward()
        self.assertEqual(float(step(3)), float(loss))
        self.assertNotEqual(float(step(4)), float(loss))
        self.assertTrue(all((p.grad is not None) == name.startswith("decoder.") for name, p in vae.named_parameters()))


class Reach(unittest.TestCase):
    def test_what_was_computed_without_gradients_takes_none_away(self):
        layer, x = torch.nn.Linear(32, 32), torch.randn(4, 32)
        with mixed_precision(torch.device("cpu")):
            with torch.no_grad():
                layer(x)
            layer(x).float().sum().backward()
        self.assertIsNotNone(layer.weight.grad)

    def test_a_parameter_that_the_loss_does_not_reach_stops_the_training(self):
        reached, forgotten = torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(3))
        reached.square().sum().backward()
        with self.assertRaisesRegex(RuntimeError, r"1 of 2 parameters, of shapes \[\(3,\)\]"):
            AveragedAdamW([reached, forgotten], 0.9).step(0.1)


class Pool(unittest.TestCase):
    SIZE = (5, 32, 32)              # 8 tokens

    def drawer(self, encoder=lambda clips: clips[:, :, ::4, ::8, ::8], draw=random_scene, **options):
        return Drawer(encoder, Tokenizer(VOCABULARY), "cpu", 3, draw, lambda _: contextlib.nullcontext(), **options)

    def pool(self, stay=1, **options):
        return LatentPool(self.drawer(**options), lambda size: 1.0, 0.4, 0.2, stay)

    def test_a_pool_made_anew_gives_the_same_batch(self):
        walked, random_of = self.pool(), lambda visit: torch.Generator().manual_seed(visit)
        for visit in range(4):
            walked.move_on(self.SIZE, visit)
            batch = walked.batch(self.SIZE, 6, random_of(visit))
        anew = self.pool()
        anew.move_on(self.SIZE, 3)
        again = anew.batch(self.SIZE, 6, random_of(3))
        self.assertTrue(torch.equal(batch.latents, again.latents))
        self.assertTrue(torch.equal(batch.captions, again.captions))

    def test_a_window_stays_as_long_as_it_is_told_and_then_moves_on_by_a_block(self):
        pool = self.pool(stay=3)
        block = lambda number: self.drawer().block(self.SIZE, 2 * number, 2)[0]
        for visit, blocks in ((0, [0, 1]), (2, [0, 1]), (3, [2, 1]), (6, [2, 3])):
            pool.move_on(self.SIZE, visit)
            self.assertTrue(torch.equal(pool.windows[self.SIZE].latents, torch.cat([block(number) for number in blocks])), visit)

    def test_twins_are_the_clips_with_other_shapes_and_captions_say_which(self):
        scenes = [scene_of("ball", "still"), scene_of("square", "still")]
        pool = self.pool(encoder=lambda clips: clips, draw=lambda rng: scenes[0], twin=lambda scene, rng: scenes[1])
        pool.move_on((1, 32, 32), 0)
        batch, balls, tokenizer = pool.batch((1, 32, 32), 20, torch.Generator().manual_seed(1)), 0, Tokenizer(VOCABULARY)
        known = [render([scene], View(1, 32, 32))[0] for scene in scenes]
        for latents, twin, caption in zip(batch.latents, batch.twins, batch.captions):
            ball = torch.equal(latents, known[0])
            self.assertTrue(torch.equal(latents, known[1 - ball]) and torch.equal(twin, known[ball]))
            said = "".join(tokenizer.pieces[i] for i in caption.tolist()).lower()
            names = [word for row in ("ball", "square") for word in FIGURE_WORDS[row] if word in said]
            for word in names:
                self.assertIn(word, FIGURE_WORDS["ball" if ball else "square"])
            balls += ball
        self.assertTrue(0 < balls < 20)

    def test_no_caption_is_a_forbidden_one(self):
        scene = scene_of("ball", "still")
        rng = random.Random(0)
        forbidden = frozenset(held_out.normalised(caption(scene, rng)) for _ in range(3000))
        drawer = self.drawer(draw=lambda rng: scene, forbidden=forbidden)
        self.assertTrue(all(held_out.normalised(drawer._caption(scene, random.Random(i))) not in forbidden for i in range(100)))

    def test_sizes_count_by_their_tokens(self):
        self.assertEqual([clips_of(32, size) for size in ((17, 64, 64), (17, 128, 128), (49, 128, 192))], [32, 8, 2])
        self.assertEqual(clips_of(1, (49, 128, 192)), 1)


class Captions(unittest.TestCase):
    def test_padding_takes_nothing_from_the_words(self):
        torch.manual_seed(4)
        text, tokenizer = TextEncoder(20, 8, 1, 2, 4, 16), Tokenizer(VOCABULARY)
        ids = torch.tensor([[5, 6, 1]])
        padded = F.pad(ids, (0, 4))
        with torch.no_grad():
            self.assertLess((text(padded)[:, :3] - text(ids)).abs().max(), 1e-5)
            self.assertEqual(text(padded)[:, 3:].abs().max(), 0)
        self.assertEqual(tokenizer.padded([""], 3).tolist(), empty_caption(ids).tolist())

    def test_hardly_any_is_cut(self):
        rng, tokenizer = random.Random(8), Tokenizer(VOCABULARY)
        lengths = [len(tokenizer.encode(caption(random_scene(rng), rng))) for _ in range(5000)]
        self.assertLess(sum(length > LONGEST for length in lengths), 10)


class Optimiser(unittest.TestCase):
    def far_from_pytorch(self):
        """After four steps of AdamW with gradients no longer than one, and of ours."""
        torch.manual_seed(9)
        ours = [torch.nn.Parameter(torch.randn(4, 3)), torch.nn.Parameter(torch.randn(3))]
        theirs = [torch.nn.Parameter(p.detach().clone()) for p in ours]
        other = torch.optim.AdamW([dict(params=theirs[:1], weight_decay=0.01), dict(params=theirs[1:], weight_decay=0.0)],
                                  lr=0.05, betas=(0.9, 0.98), eps=1e-8)
        optimiser = AveragedAdamW(ours, 0.9)
        for step in range(4):
            for p, q in zip(ours, theirs):
                p.grad = torch.randn_like(p) * 10 ** (step - 2)
                q.grad = p.grad.clone()
            torch.nn.utils.clip_grad_norm_(theirs, 1.0)
            optimiser.step(0.05)
            other.step()
        return max(float((p - q).abs().max()) for p, q in zip(ours, theirs))

    def test_a_step_is_that_of_pytorch_with_the_kernels_where_there_are_any(self):
        self.assertLess(self.far_from_pytorch(), 1e-5)

    def test_a_step_is_that_of_pytorch_without_the_kernels(self):
        with unittest.mock.patch("tinywan.optimiser.library", return_value=None):
            self.assertLess(self.far_from_pytorch(), 1e-5)


class Weights(unittest.TestCase):
    class OneLoudChannel:
        """Channel 1 of two is seen four times as strongly in the pixels."""

        def encode(self, clips):
            return clips[:, :2, ::4, ::8, ::8], None

        def decode(self, latents):
            return latents * torch.tensor([1.0, 4.0]).view(1, 2, 1, 1, 1)

    def test_a_channel_weighs_what_it_changes_in_the_pixels(self):
        weights = sensitivities(self.OneLoudChannel(), torch.tensor([1.0, 0.5]), "cpu", seed=1, count=16)
        self.assertAlmostEqual(weights.mean().item(), 1.0, places=5)
        self.assertAlmostEqual((weights[1] / weights[0]).item(), 16 * 0.5 ** 2, delta=0.3)

    def test_the_loss_weighs_by_the_root_of_it(self):
        self.assertTrue(torch.allclose(loss_weights(torch.tensor([0.2, 1.8])), torch.tensor([0.5, 1.5])))


class Files(unittest.TestCase):
    def test_safetensors_round_trip(self):
        with tempfile.TemporaryDirectory() as folder:
            tensors = {"a": torch.randn(3, 4), "b": torch.randn(5).bfloat16()}
            safetensors_io.write(folder + "/x.safetensors", tensors)
            for name, value in safetensors_io.read(folder + "/x.safetensors").items():
                self.assertTrue(torch.equal(value, tensors[name]))

    def test_an_exported_model_is_read_back(self):
        dit = WanDiT(num_layers=1, ffn_dim=32, text_dim=8, num_attention_heads=2, attention_head_dim=12)
        text, vae = TextEncoder(20, 8, 1, 2, 4, 16), WanVAE(base_dim=4, num_res_blocks=1)
        mean, std = torch.arange(16) / 8, torch.ones(16) / 2
        trained = dict(dit=dit.state_dict(), text=text.state_dict(), dit_cfg=dit.cfg, text_cfg=text.cfg, mean=mean, std=std)
        with tempfile.TemporaryDirectory() as folder:
            export.write_transformer(folder, trained, "f32")
            export.write_text_encoder(folder, trained, "f32")
            export.write_vae(folder, dict(vae=vae.state_dict(), cfg=vae.cfg), mean.tolist(), std.tolist(), "f32")
            read, autoencoder = transformer_checkpoint(folder), vae_checkpoint(folder)
        modules = transformer_of(read, "cpu")
        for module, state in zip((*modules[:2], vae_of(autoencoder, "cpu")), (dit, text, vae)):
            for name, value in module.state_dict().items():
                self.assertTrue(torch.equal(value, state.state_dict()[name]), name)
        self.assertTrue(torch.equal(modules[2], mean) and torch.equal(modules[3], std))

    def test_a_deeper_transformer_begins_as_the_old_one_and_every_layer_learns(self):
        size = dict(ffn_dim=32, text_dim=8, num_attention_heads=2, attention_head_dim=12)
        dit, deeper = WanDiT(num_layers=2, **size), WanDiT(num_layers=5, **size)
        torch.nn.init.normal_(dit.proj_out.weight)
        deeper.load_state_dict(with_layers(dit.state_dict(), 5))
        x, t, text = torch.randn(1, 16, 2, 4, 4), torch.tensor([500.0]), torch.randn(1, 3, 8)
        with torch.no_grad():
            self.assertTrue(torch.equal(deeper(x, t, text), dit(x, t, text)))
        deeper(x, t, text).square().sum().backward()
        for block in deeper.blocks:
            self.assertGreater(float(block.ffn.net[2].weight.grad.norm()), 0)
        with self.assertRaisesRegex(SystemExit, "--layers 2 or more"):
            with_layers(dit.state_dict(), 1)

    def test_a_mean_lies_halfway_and_is_no_training_to_resume(self):
        one = dict(dit=dict(a=torch.zeros(2)), text=dict(b=torch.ones(2)), mean=1, step=4, state={})
        other = dict(dit=dict(a=torch.ones(2)), text=dict(b=torch.ones(2)), mean=1, step=9, state={})
        mean = mean_of(one, other)
        self.assertEqual(mean["dit"]["a"].tolist(), [0.5, 0.5])
        self.assertEqual(mean["text"]["b"].tolist(), [1, 1])
        self.assertEqual(sorted(mean), ["dit", "mean", "text"])
        self.assertEqual(mean_of(dict(vae=dict(a=torch.zeros(1))), dict(vae=dict(a=torch.ones(1))))["vae"]["a"].tolist(), [0.5])

    def test_an_adapter_starts_without_effect_and_changes_every_layer(self):
        dit = WanDiT(num_layers=1, ffn_dim=32, text_dim=8, num_attention_heads=2, attention_head_dim=12)
        torch.nn.init.normal_(dit.proj_out.weight)
        x, t, text = torch.randn(1, 16, 2, 4, 4), torch.tensor([500.0]), torch.randn(1, 3, 8)
        pairs = lora.adapters(dit, 2, 1, "cpu")
        with torch.no_grad():
            plain = dit(x, t, text)
            with lora.added(dit, pairs):
                self.assertTrue(torch.equal(dit(x, t, text), plain))
            for pair in pairs.values():
                pair.up.normal_()
            with lora.added(dit, pairs):
                self.assertFalse(torch.allclose(dit(x, t, text), plain))
            self.assertTrue(torch.equal(dit(x, t, text), plain))
        names = lora.named_pairs(pairs)
        self.assertEqual(len(names), 20)
        self.assertIn("transformer.blocks.0.attn1.to_out.0.lora_A.weight", names)


if __name__ == "__main__":
    unittest.main()
