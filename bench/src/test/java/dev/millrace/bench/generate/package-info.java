/** Text generated here and in ONNX Runtime. */
@NullMarked
package dev.millrace.bench.generate;

import org.jspecify.annotations.NullMarked;
