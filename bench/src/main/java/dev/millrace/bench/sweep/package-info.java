/// Every operator's own test cases, scaled up and measured beside ONNX Runtime.
@NullMarked
package dev.millrace.bench.sweep;

import org.jspecify.annotations.NullMarked;
