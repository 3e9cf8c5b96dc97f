/** Parts of the drop-in that need nothing of ONNX Runtime's API. */
@NullMarked
package dev.millrace.onnxruntime;

import org.jspecify.annotations.NullMarked;
