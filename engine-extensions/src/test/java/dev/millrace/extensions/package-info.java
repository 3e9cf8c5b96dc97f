/** Tests of operators of onnxruntime-extensions. */
@NullMarked
package dev.millrace.extensions;

import org.jspecify.annotations.NullMarked;
