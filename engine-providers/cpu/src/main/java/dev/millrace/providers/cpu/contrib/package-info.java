/** Operators of {@code com.microsoft} that resemble ONNX's own and occur in models that ONNX Runtime optimised. */
@NullMarked
package dev.millrace.providers.cpu.contrib;

import org.jspecify.annotations.NullMarked;
