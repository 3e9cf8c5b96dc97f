/// Benchmarks of single kernels beside single operators of ONNX Runtime.
@NullMarked
package dev.millrace.bench.kernels;

import org.jspecify.annotations.NullMarked;
