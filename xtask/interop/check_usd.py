"""Validates the USDA export with OpenUSD's own validators and compares its points: python check_usd.py FOLDER."""

import sys
from pathlib import Path

import numpy as np
from pxr import Usd, UsdGeom, UsdShade, UsdValidation
from truth import Truth, compare


def validate(stage):
    registry = UsdValidation.ValidationRegistry()
    context = UsdValidation.ValidationContext(registry.GetOrLoadAllValidators())
    found = context.Validate(stage)
    errors = [error for error in found if error.GetType() == UsdValidation.ValidationErrorType.Error]
    print(f"pxr.UsdValidation: {len(errors)} errors, {len(found) - len(errors)} other remarks")
    for error in found:
        print(f"  {error.GetType()}: {error.GetName()}: {error.GetMessage()}")
    assert not errors


def main():
    folder = Path(sys.argv[1])
    truth = Truth(folder / "take.npz")
    stage = Usd.Stage.Open(str(folder / "take.usda"))
    validate(stage)
    assert UsdGeom.GetStageUpAxis(stage) == "Y" and UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (truth.frames[0], truth.frames[-1])
    meshes = {prim.GetDisplayName(): UsdGeom.Mesh(prim) for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)}
    meshes.pop("", None)  # the ground, which has no name
    assert sorted(meshes) == sorted(truth.skin), sorted(meshes)
    worst = 0.0
    for name, mesh in meshes.items():
        assert (np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3) == truth.faces[name]).all()
        for place in truth.three_frames():
            points = np.array(mesh.GetPointsAttr().Get(int(truth.frames[place])))
            worst = max(worst, compare(f"{name} in take.usda", points, truth.skin[name][place], 1e-5 * truth.size(name)))
            normals = np.array(mesh.GetNormalsAttr().Get(int(truth.frames[place])))
            assert abs(np.linalg.norm(normals, axis=1) - 1).max() < 1e-5
    print(f"pxr: .usda: largest distance {worst:.1e} m")
    if (folder / "painted.usda").exists():
        check_looks(folder / "painted.usda")


def check_looks(path):
    """A skin with a material: every face is bound to a surface shader that reads its picture."""
    stage = Usd.Stage.Open(str(path))
    validate(stage)
    mesh = next(prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh))
    material, _ = UsdShade.MaterialBindingAPI(mesh).ComputeBoundMaterial()
    assert material, "no material is bound"
    surface, _, _ = material.ComputeSurfaceSource()
    assert surface.GetIdAttr().Get() == "UsdPreviewSurface"
    source = surface.GetInput("diffuseColor").GetConnectedSources()[0][0].source
    picture = UsdShade.Shader(source.GetPrim()).GetInput("file").Get()
    assert Path(picture.resolvedPath).stat().st_size > 100, picture
    assert UsdGeom.PrimvarsAPI(mesh).GetPrimvar("st").GetInterpolation() == "faceVarying"
    print(f"pxr: {path.name}: {material.GetPath()} with {picture.path}")


main()
