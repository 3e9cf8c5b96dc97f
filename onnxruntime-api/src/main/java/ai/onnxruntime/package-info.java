/** ONNX Runtime's Java API, computed by this engine. */
@NullMarked
package ai.onnxruntime;

import org.jspecify.annotations.NullMarked;
