/// Benchmarks of whole models beside ONNX Runtime: the cases, their measurement, and the presentation of the numbers.
@NullMarked
package dev.millrace.bench.suite;

import org.jspecify.annotations.NullMarked;
