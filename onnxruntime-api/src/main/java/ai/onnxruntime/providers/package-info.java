/** Options of ONNX Runtime's execution providers, none of which this engine has. */
@NullMarked
package ai.onnxruntime.providers;

import org.jspecify.annotations.NullMarked;
