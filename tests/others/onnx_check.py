#!/usr/bin/env python3
"""onnx_check.py MODEL.onnx...: Debian's checker (package python3-onnx), with shape inference."""
import sys

import onnx

for path in sys.argv[1:]:
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    sizes = {o.name: [d.dim_param or d.dim_value for d in o.type.tensor_type.shape.dim] for o in model.graph.output}
    print(f"{path}: opset {model.opset_import[0].version}, {len(model.graph.node)} nodes, {sizes}")
