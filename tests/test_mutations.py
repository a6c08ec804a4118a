"""Bugs that people really write, put in one at a time: the fast tests must catch every one.

A mutation is (file, what stands there, what the bug makes of it). Run it alone with
`python -m pytest tests/test_mutations.py -k "scale"`.
"""

import importlib
import multiprocessing
import os
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FAST = ["attention", "masks", "positions", "layers", "model", "relative", "variants", "flash"]
FAST += ["encoder_only", "generation", "every_variant", "config"]
FAST += ["decoding", "training", "checkpoint", "quantized", "export"]
FAST += ["loss", "batching", "runs", "distributed"]
LIKELY = {  # the tests that tell most of a module without tests of its own name
    "scaled_dot_product": "attention",
    "cache": "decoding",
    "decoder_only": "generation",
    "likeliest": "decoding",
    "hypotheses": "decoding",
    "packed": "quantized",
    "parts": "variants",
    "schedule": "training",
}
LOADED = ["pytest", "torch", "numpy", "jaxtyping", "requests", "sacrebleu", "tokenizers"]
PATIENCE = 1800.0  # seconds: should a process be lost, nobody waits forever

MUTATIONS = {
    "no scale": ("scaled_dot_product", " / math.sqrt(query.size(-1))", ""),
    "scale by head_dim, not its root": (
        "scaled_dot_product",
        "math.sqrt(query.size(-1))",
        "query.size(-1)",
    ),
    "softmax over queries": (
        "scaled_dot_product",
        "scores.softmax(dim=-1)",
        "scores.softmax(dim=-2)",
    ),
    "mask flipped": ("scaled_dot_product", "masked_fill(~mask", "masked_fill(mask"),
    "masked scores set to zero": ("scaled_dot_product", 'float("-inf")', "0.0"),
    "fused kernel without the mask": (
        "scaled_dot_product",
        "(query, key, value, mask, enable_gqa=shared)",
        "(query, key, value, enable_gqa=shared)",
    ),
    "heads cut across instead of along": (
        "attention",
        "x.unflatten(-1, (num_heads or self.num_heads, -1)).transpose(1, 2)",
        "x.unflatten(-1, (-1, num_heads or self.num_heads)).permute(0, 3, 1, 2)",
    ),
    "heads merged without moving them back": (
        "attention",
        "x.transpose(1, 2).flatten(2)",
        "x.reshape(x.size(0), x.size(2), -1)",
    ),
    "values from the keys": (
        "attention",
        "v = self.split_heads(self.value_proj(value), ",
        "v = self.split_heads(self.value_proj(key), ",
    ),
    "keys through the query projection": (
        "attention",
        "k = self.split_heads(self.key_proj(key), self.num_kv_heads)",
        "k = self.split_heads(self.query_proj(key))",
    ),
    "causal mask lets one future token through": ("masks", ".tril()", ".tril(1)"),
    "causal mask hides the token itself": ("masks", ".tril()", ".tril(-1)"),
    "causal mask upside down": ("masks", ".tril()", ".triu()"),
    "padding mask flipped": ("masks", "ids != pad_id", "ids == pad_id"),
    "sines and cosines swapped": (
        "positions",
        "[angle.sin(), angle.cos()]",
        "[angle.cos(), angle.sin()]",
    ),
    "wavelengths squared": (
        "positions",
        "10_000 ** (wave / d_model)",
        "10_000 ** (2 * wave / d_model)",
    ),
    "sines and cosines in halves": ("positions", "dim=-1).flatten(1)", "dim=1).flatten(1)"),
    "a cached step at position zero": (
        "positions",
        "return table[start:stop]",
        "return table[:length]",
    ),
    "no residual around the feed-forward": (
        "layers",
        "return self.norm2(x + self.dropout(self.feed_forward(x)))",
        "return self.norm2(self.dropout(self.feed_forward(x)))",
    ),
    "normalization before the addition": (
        "layers",
        "return self.norm2(x + self.dropout(self.feed_forward(x)))",
        "return x + self.norm2(self.dropout(self.feed_forward(x)))",
    ),
    "one norm used twice": ("layers", "return self.norm3(", "return self.norm2("),
    "cross-attention looks at the target": (
        "layers",
        "self.cross_attn(x, memory, memory, src_mask)",
        "self.cross_attn(x, x, x, tgt_mask)",
    ),
    "cross-attention sees padding": (
        "layers",
        "self.cross_attn(x, memory, memory, src_mask)",
        "self.cross_attn(x, memory, memory)",
    ),
    "no dropout on the attention": (
        "layers",
        "x = self.norm1(x + self.dropout(self.self_attn(x, x, x, src_mask)))",
        "x = self.norm1(x + self.self_attn(x, x, x, src_mask))",
    ),
    "decoder without causal mask": ("model", "causal_mask(tgt.size(1), tgt.device) & ", ""),
    "encoder without padding mask": ("model", "self.encode(src, src_mask)", "self.encode(src)"),
    "embeddings not scaled": ("model", " * math.sqrt(self.config.d_model), start", ", start"),
    "output matrix cut off from the gradient": (
        "model",
        "linear(x, self.embedding.weight)",
        "linear(x, self.embedding.weight.detach())",
    ),
    "one layer's weights used in all": (
        "model",
        "nn.ModuleList(parts.encoder_layer(config) for _ in depth)",
        "nn.ModuleList([parts.encoder_layer(config)] * config.num_layers)",
    ),
    "warm-up that falls": ("schedule", "step * warmup**-1.5", "step * warmup**-0.5"),
    "padding in the loss": ("training", "ignore_index=PAD_ID, ", ""),
    "no label smoothing": ("training", "label_smoothing=smoothing", "label_smoothing=0.0"),
    "Adam with its usual constants": ("training", "betas=(0.9, 0.98)", "betas=(0.9, 0.999)"),
    "gradients pile up": ("training", "optimizer.zero_grad(set_to_none=True)", "pass"),
    "the rate never set": ("training", 'group["lr"] = rate', "pass"),
    "target not shifted": ("batching", "[[*tgt, EOS_ID] for tgt", "[[BOS_ID, *tgt] for tgt"),
    "no end mark on the source": ("batching", "[[*src, EOS_ID] for src", "[[*src] for src"),
    "the cache forgets to reorder values": (
        "cache",
        "self.values.index_select(0, rows)",
        "self.values",
    ),
    "the cache keeps the wrong sentences": (
        "cache",
        "self.keys, self.values = self.keys[sentences], self.values[sentences]",
        "self.keys, self.values = self.keys[: len(sentences)], self.values[: len(sentences)]",
    ),
    "inputs of int8 without their scale": ("quantized", "torch.addcmul(self.bias, y, scale)", "y"),
    "one scale for all rows": (
        "quantized",
        "rows.abs().amax(-1, keepdim=True)",
        "rows.abs().max()",
    ),
    "the output's matrix left as it was": ("packed", 'setattr(copied, "logits"', "dict(unused"),
    "int8 read without its scale": ("checkpoint", " * weights.pop(", ".float(); weights.pop("),
    "dropout while decoding": ("decoding", "model.eval()", "model.train()"),
    "candidates from the best block only": (
        "likeliest",
        "topk(min(count, blocks.size(-2)))",
        "topk(1)",
    ),
    "no length penalty": ("hypotheses", "return ((5 + length) / 6) ** alpha", "return 1.0"),
    "beam that stops at the first ending": (
        "hypotheses",
        "if len(finished) < beam:\n        return False\n",
        "if finished:\n        return True\n    return False\n",
    ),
    "hypotheses take each other's words": (
        "decoding",
        "rows = (kept[:, None] * beam + parents[kept]).flatten()",
        "rows = (kept[:, None] * beam + parents[kept].sort(-1).values).flatten()",
    ),
    "dropout that depends on what came before": (
        "training",
        "        seed_step(config.seed, number, rank, device)\n",
        "",
    ),
    "a part of a batch averaged over itself": (
        "training",
        "return total / (num_tokens or (tgt_out != PAD_ID).sum())",
        "return total / (tgt_out != PAD_ID).sum()",
    ),
    "the loss's gradient without the true token": ("loss", "smoothing - 1)", "smoothing)"),
    "the loss's gradient without the smoothed target": ("loss", ".sub_(even)", ""),
    "the loss without its smoothed part": ("loss", "loss -= even", "loss -= 0.0"),
    "the loss's gradient not divided by the tokens": ("loss", "= part * (", "= ("),
    "the matrix's gradient from the last chunk only": (
        "loss",
        "by_weight += too",
        "by_weight = too",
    ),
    "parts of a batch that overlap": ("batching", "ids[number::parts]", "ids[number:]"),
    "gradients of one pass only": (
        "training",
        "            (share * world).backward()",
        "            optimizer.zero_grad()\n            (share * world).backward()",
    ),
    "resume without Adam's memory": (
        "checkpoint",
        '("step", "exp_avg", "exp_avg_sq")',
        '("step",)',
    ),
    "resume replays the first batches": ("runs", "starting_at(self.step)", "starting_at(0)"),
    "RoPE turned the other way": (
        "relative",
        "torch.complex(cosine, sine)",
        "torch.complex(cosine, -sine)",
    ),
    "RoPE on the values": (
        "relative",
        "rotate(k, angles), v",
        "rotate(k, angles), rotate(v, angles)",
    ),
    "RoPE on the queries alone": ("relative", "rotate(k, angles), v", "k, v"),
    "RoPE that pairs the halves": (
        "relative",
        "x.to(exact).unflatten(-1, (-1, 2))",
        "x.to(exact).unflatten(-1, (2, -1)).mT.contiguous()",
    ),
    "RoPE with every cached token at position zero": (
        "relative",
        "self.table, start,",
        "self.table, 0,",
    ),
    "RoPE across two sequences": (
        "parts",
        "cross_attn=cross_attention(config)",
        "cross_attn=self_attention(config)",
    ),
    "ALiBi that likes what is far": ("relative", "return -self.slopes", "return self.slopes"),
    "ALiBi slopes in the other order": (
        "relative",
        "torch.arange(1, num_heads + 1)",
        "torch.arange(num_heads, 0, -1)",
    ),
    "ALiBi slopes counted from zero": (
        "relative",
        "torch.arange(1, num_heads + 1)",
        "torch.arange(num_heads)",
    ),
    "ALiBi with a cached query at the start": (
        "relative",
        "positions[k_len - q_len :, None]",
        "positions[:q_len, None]",
    ),
    "ALiBi that takes a mirror image for the sentence": ("relative", "-2 * back", "-back"),
    "ALiBi lost where there is a mask": (
        "scaled_dot_product",
        'bias.masked_fill(~mask, float("-inf"))',
        "mask",
    ),
    "key heads dealt out in turn, not in runs": (
        "scaled_dot_product",
        "    shared = query.shape[:-2] != key.shape[:-2]\n",
        "    shared = query.shape[:-2] != key.shape[:-2]\n"
        "    if shared:\n"
        "        times = query.size(-3) // key.size(-3)\n"
        "        key, value = key.repeat(1, times, 1, 1), value.repeat(1, times, 1, 1)\n",
    ),
    "recorded key heads dealt out in turn": (
        "attention",
        "k.repeat_interleave(self.num_heads // self.num_kv_heads, dim=1)",
        "k.repeat(1, self.num_heads // self.num_kv_heads, 1, 1)",
    ),
    "pre-norm without a norm at the end": (
        "parts",
        'NORMS[config.norm](config.d_model) if config.norm_placement == "pre" else nn.Identity()',
        "nn.Identity()",
    ),
    "pre-norm without a norm at the end of cached steps": (
        "cache",
        "self.model.decoder_norm(x[:, -1])",
        "x[:, -1]",
    ),
    "pre-norm on the residual path too": (
        "variants",
        "x = x + self.dropout(self.self_attn(y, y, y, src_mask))",
        "x = y + self.dropout(self.self_attn(y, y, y, src_mask))",
    ),
    "pre-norm that normalizes the memory again": (
        "variants",
        "(self.norm2(x), memory, memory, src_mask)",
        "(self.norm2(x), self.norm2(memory), self.norm2(memory), src_mask)",
    ),
    "RMSNorm that centers": (
        "variants",
        "return x * (x.square()",
        "x = x - x.mean(-1, keepdim=True)\n        return x * (x.square()",
    ),
    "RMSNorm without eps": ("variants", " + self.eps).rsqrt()", ").rsqrt()"),
    "a gate without its activation": ("variants", "self.activation(self.gate(x))", "self.gate(x)"),
    "GeGLU that is SwiGLU": (
        "parts",
        "partial(GatedFeedForward, activation=F.gelu)",
        "partial(GatedFeedForward, activation=F.silu)",
    ),
    "online softmax that does not rescale the mixture": ("flash", "mixed * shrink", "mixed"),
    "online softmax that does not rescale the sum": ("flash", "total * shrink", "total"),
    "online softmax with the maximum of one tile": (
        "flash",
        "torch.maximum(highest, scores.detach().amax(-1, keepdim=True))",
        "scores.detach().amax(-1, keepdim=True)",
    ),
    "online softmax without a maximum": (
        "flash",
        'reference = higher.masked_fill(higher == float("-inf"), 0.0)',
        "reference = torch.zeros_like(higher)",
    ),
    "loss over all tokens, hidden or not": (
        "encoder_only",
        "logits[chosen].float(), ids[chosen]",
        "logits.flatten(0, 1).float(), ids.flatten()",
    ),
    "end marks to guess": ("encoder_only", " & ~torch.isin(ids, ids.new_tensor(special_ids))", ""),
    "every chosen token hidden": ("encoder_only", "(fate < 0.8), mask_id", "(fate < 2), mask_id"),
    "an encoder alone that sees padding": ("encoder_only", "x = layer(x, mask)", "x = layer(x)"),
    "a decoder alone that sees the future": (
        "decoder_only",
        "causal_mask(ids.size(1), ids.device) & ",
        "",
    ),
    "a prompt that sees its own future": (
        "cache",
        "[-ids.size(1) :] if ids.size(1) > 1 else None",
        "[-ids.size(1) :] if ids.size(1) > 99 else None",
    ),
    "a temperature that sharpens as it rises": (
        "generation",
        "(logits / temperature)",
        "(logits * temperature)",
    ),
    "a short prompt that waits for no one": (
        "generation",
        "if place < lengths[sentence]:",
        "if place < min(lengths):",
    ),
    "weights of one variant taken for another": (
        "checkpoint",
        'if name not in ("dropout", "max_len") and',
        "if not name and",
    ),
}


Verdict = tuple[int, str]  # pytest's exit code, and what it printed


def run_fast_tests(folder: Path, first: str = FAST[0]) -> Verdict:
    """Run the fast tests on the package in `folder`, those of one module before the others.

    It is called once in a process of its own, which has not loaded the package yet.
    """
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    importlib.import_module("transformer_course.which")  # only the copy has this module
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ["PYTHONDONTWRITEBYTECODE"], sys.dont_write_bytecode = "1", True
    said = folder / "said.txt"
    with open(said, "w") as file:
        for descriptor in (1, 2):
            os.dup2(file.fileno(), descriptor)
        for names in [first], [name for name in FAST if name != first]:
            tests = [str(ROOT / "tests" / f"test_{name}.py") for name in names]
            code = pytest.main(["-xq", "-m", "not slow", "-p", "no:cacheprovider", *tests])
            if code:
                break
        sys.stdout.flush()
    return int(code), said.read_text()


def copy_package(folder: Path) -> Path:
    """The package once more, in a folder of its own, with a module that tells it from ours."""
    copy = folder / "transformer_course"
    ignore = shutil.ignore_patterns("__pycache__", "carried")
    shutil.copytree(ROOT / "transformer_course", copy, ignore=ignore)
    (copy / "which.py").touch()
    return folder


def run_with_bug(name: str, folder: Path) -> Verdict:
    module, before, after = MUTATIONS[name]
    file = copy_package(folder) / "transformer_course" / f"{module}.py"
    text = file.read_text()
    assert before in text, f"{module}.py no longer holds {before!r}: write this mutation anew"
    file.write_text(text.replace(before, after, 1))
    return run_fast_tests(folder, first=LIKELY.get(module, module))


@pytest.fixture(scope="module")
def processes():
    """As many as there are cores, each for one run. What takes long to import is there."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(LOADED)
    with context.Pool(os.cpu_count(), maxtasksperchild=1) as pool:
        yield pool


@pytest.fixture(scope="module")
def verdicts(processes, request, tmp_path_factory):
    """What the fast tests say of each bug that is asked for."""
    asked = [item for item in request.session.items if item.function is test_the_bug_is_caught]
    names = [item.callspec.params["name"] for item in asked]
    folders = {name: tmp_path_factory.mktemp("bug") for name in names}
    return {name: processes.apply_async(run_with_bug, (name, folders[name])) for name in names}


@pytest.mark.slow
def test_the_unchanged_copy_passes(processes, tmp_path):
    """Otherwise every mutation would count as caught."""
    code, said = processes.apply_async(run_fast_tests, [copy_package(tmp_path)]).get(PATIENCE)
    assert code == 0, said


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTATIONS)
def test_the_bug_is_caught(verdicts, name):
    code, said = verdicts[name].get(PATIENCE)
    assert code == 1, f"not caught:\n{said}"
    assert "failed" in said
