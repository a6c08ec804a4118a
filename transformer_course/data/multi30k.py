"""Multi30k: photographs described in English, German and French (Elliott et al. 2016)."""

from transformer_course.data import download
from transformer_course.data.textfiles import load_text_pairs

PAIRS = ("en-de", "de-en", "en-fr", "fr-en")
SPLITS = ("train", "valid", "test_2016_flickr")
SHA256 = {
    "train.en.gz": "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f",
    "train.de.gz": "726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6",
    "train.fr.gz": "622e75069e9f4c577425c4f277116ce66e63a2401c0a2312d90073cb12379a3c",
    "val.en.gz": "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28",
    "val.de.gz": "f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a",
    "val.fr.gz": "ca3106f1a72390591d25f6c45cb4cd39dec4cd3f123e099748a3ce5256c160e9",
    "test_2016_flickr.en.gz": "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9",
    "test_2016_flickr.de.gz": "9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8",
    "test_2016_flickr.fr.gz": "6d326e188d259fb1d04ac19eae3af956559b3a0b93d7635e56c90987c40c8b90",
}


def needed(pair: str, split: str) -> list[str]:
    """The names of the source's file and of the target's."""
    stem = "val" if split == "valid" else split
    return [f"{stem}.{language}.gz" for language in pair.split("-")]


DOWNLOAD = download.Download(
    name="multi30k",
    url="https://raw.githubusercontent.com/multi30k/dataset/a3d2e0d/data/task1/raw",
    terms="Multi30k (Elliott et al. 2016) is for research and teaching; its English captions come "
    "from Flickr30k, whose terms apply. See https://github.com/multi30k/dataset.",
    needed=needed,
    sha256=SHA256,
)


def load(pair: str, split: str, count: int | None) -> list[tuple[str, str]]:
    """The first `count` pairs of a split, or all."""
    files = needed(pair, split)
    folder = download.folder_with(DOWNLOAD, files)
    return load_text_pairs(folder / files[0], folder / files[1])[:count]
