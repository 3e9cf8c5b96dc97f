/** One step of an optimiser, as ai.onnx.preview.training has them. */
@NullMarked
package dev.millrace.providers.cpu.train;

import org.jspecify.annotations.NullMarked;
