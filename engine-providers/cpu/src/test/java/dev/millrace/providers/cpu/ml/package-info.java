/** Tests of the kernels of ai.onnx.ml. */
@NullMarked
package dev.millrace.providers.cpu.ml;

import org.jspecify.annotations.NullMarked;
