/** Whether models answer as they do in ONNX Runtime. */
@NullMarked
package dev.millrace.bench.agree;

import org.jspecify.annotations.NullMarked;
