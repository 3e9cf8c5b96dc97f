/** The operators of ai.onnx.ml: features, labels, linear models, support vectors, trees. */
@NullMarked
package dev.millrace.providers.cpu.ml;

import org.jspecify.annotations.NullMarked;
