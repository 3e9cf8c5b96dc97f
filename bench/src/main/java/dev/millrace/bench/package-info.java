/// Benchmarks, and the comparison with ONNX Runtime.
@NullMarked
package dev.millrace.bench;

import org.jspecify.annotations.NullMarked;
