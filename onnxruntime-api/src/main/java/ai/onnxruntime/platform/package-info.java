/** Conversions of 16-bit floating point numbers. */
@NullMarked
package ai.onnxruntime.platform;

import org.jspecify.annotations.NullMarked;
