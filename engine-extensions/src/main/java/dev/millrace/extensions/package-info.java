/** Operators of onnxruntime-extensions, as a provider. */
@NullMarked
package dev.millrace.extensions;

import org.jspecify.annotations.NullMarked;
