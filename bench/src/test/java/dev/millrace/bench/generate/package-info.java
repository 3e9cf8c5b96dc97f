/** Tests of generated text against ONNX Runtime's. */
@NullMarked
package dev.millrace.bench.generate;

import org.jspecify.annotations.NullMarked;
