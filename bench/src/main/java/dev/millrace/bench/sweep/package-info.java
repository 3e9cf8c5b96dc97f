/// Benchmarks of every operator: its own test cases, scaled up and measured beside ONNX Runtime.
@NullMarked
package dev.millrace.bench.sweep;

import org.jspecify.annotations.NullMarked;
