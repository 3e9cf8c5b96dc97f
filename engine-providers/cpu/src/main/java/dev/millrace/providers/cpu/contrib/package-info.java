/** Operators of {@code com.microsoft} that are near to ONNX's own: what optimised models are written in. */
@NullMarked
package dev.millrace.providers.cpu.contrib;

import org.jspecify.annotations.NullMarked;
