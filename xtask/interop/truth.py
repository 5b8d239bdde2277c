"""What an export should hold: the NPZ of the same take."""

import numpy as np


class Truth:
    def __init__(self, path):
        arrays = np.load(path)
        self.frames = arrays["frames"]
        self.times = arrays["times"]
        names = [name[: -len("/skin")] for name in arrays.files if name.endswith("/skin")]
        self.skin = {name: arrays[f"{name}/skin"].astype(np.float64) for name in names}
        self.faces = {name: arrays[f"{name}/faces"] for name in names}
        self.flesh = {name: arrays[f"{name}/flesh"] for name in names if f"{name}/tets" in arrays.files}
        self.tets = {name: arrays[f"{name}/tets"] for name in self.flesh}

    def three_frames(self):
        """Places of the first, a middle and the last frame."""
        return [0, len(self.frames) // 2, len(self.frames) - 1]

    def size(self, name):
        """The diagonal of the first frame's box."""
        first = self.skin[name][0]
        return float(np.linalg.norm(first.max(axis=0) - first.min(axis=0)))


def compare(what, found, wanted, allowed):
    """Fails unless points agree; gives the largest distance."""
    found, wanted = np.asarray(found, dtype=np.float64), np.asarray(wanted, dtype=np.float64)
    assert found.shape == wanted.shape, f"{what}: {found.shape} instead of {wanted.shape}"
    gap = float(np.linalg.norm(found - wanted, axis=-1).max())
    assert gap <= allowed, f"{what}: off by {gap:.3e} m, allowed are {allowed:.3e} m"
    return gap
