/// Whole models beside ONNX Runtime: the cases, how they are measured, and how the numbers are shown.
@NullMarked
package dev.millrace.bench.suite;

import org.jspecify.annotations.NullMarked;
